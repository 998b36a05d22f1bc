#include "tests/harness/plan/conforms.h"

#include <fmt/format.h>

#include <set>

namespace assay {
namespace {

std::string missing_capability(const Step& step, const Profile& profile) {
  const auto needs = [&](std::string_view name) {
    return profile.has(name) ? std::string() : std::string(name);
  };
  switch (step.kind) {
    case StepKind::cancel:
      return needs("cancel");
    case StepKind::pause:
    case StepKind::resume:
      return needs("pause");
    case StepKind::get:
      return needs("inspect");
    case StepKind::list:
      return needs("list_paged");
    case StepKind::dead:
      return needs("dlq_ops");
    case StepKind::requeue:
      return profile.replay == Replay::none ? "replay" : needs("dlq_ops");
    case StepKind::retry:
    case StepKind::fail:
      return profile.decider == Decider::engine ? "" : "decider: engine";
    case StepKind::nack:
      return profile.decider == Decider::store ? "" : "decider: store";
    default:
      return "";
  }
}

std::string misfit_of_enqueue(const Step& step, const Profile& profile,
                              std::set<std::string>& ids) {
  if (step.key && profile.idem == Idem::none) return "a key";
  if (step.when && !profile.has("schedule_at_enqueue")) return "a run time";
  if (step.priority && !profile.has("priority")) return "a priority";
  if (step.timeout && !profile.has("timeouts")) return "a timeout";
  if (!step.id.value_or("").empty() && !ids.insert(*step.id).second &&
      profile.dup_id == DupId::undefined)
    return "an id twice";
  return "";
}

std::string misfit_of_reserve(const Step& step, const Profile& profile) {
  const bool names_job = step.job.kind != JobRef::Kind::none;
  if (names_job != (profile.claim_style == ClaimStyle::by_id)) return "another style of claim";
  if (step.max > profile.claim_batch) return "too large a batch";
  const std::set<std::string> queues(step.queues.begin(), step.queues.end());
  if (queues.size() > 1 && !profile.has("queue_set_claim")) return "several queues";
  return "";
}

}  // namespace

std::string misfit(const Plan& plan, const Profile& profile) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    std::string wrong = missing_capability(step, profile);
    if (step.kind == StepKind::enqueue) wrong = misfit_of_enqueue(step, profile, ids);
    if (step.kind == StepKind::reserve) wrong = misfit_of_reserve(step, profile);
    if (!wrong.empty()) return fmt::format("step {} ({}): {}", i, name_of(step.kind), wrong);
  }
  return "";
}

}  // namespace assay
