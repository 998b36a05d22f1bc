#include "properties/detail/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace assay::properties {

void EngineView::convict(const char* rule, std::vector<OpId> ops, std::string story) const {
  if (ops.empty()) ops.push_back(0);
  verdicts.begin(ops.back());
  verdicts.convict(rule, nullptr, std::move(ops), std::move(story));
}

OpId EngineView::before(Mark mark) const {
  const auto place = [](const EngineCall& call) { return call.began.place; };
  const auto behind = std::ranges::upper_bound(facts.calls, mark.place, {}, place);
  return behind == facts.calls.begin() ? 0 : std::prev(behind)->op;
}

std::optional<Mark> EngineView::over(const HandlerRun& run) const {
  std::optional<Mark> end = run.ended;
  const auto& died = worker(run.worker).died;
  if (died && died->place > run.began.place && (!end || died->place < end->place)) end = died;
  return end;
}

Mark EngineView::kept_until(const HandlerRun& run) const {
  std::optional<Mark> until = over(run);
  if (run.told_to_stop && (!until || run.told_to_stop->place < until->place))
    until = run.told_to_stop;
  return until.value_or(facts.last);
}

bool EngineView::may_be_interrupted(const HandlerRun& run) const {
  const EngineWorker& its = worker(run.worker);
  return run.ended && its.stopping &&
         run.ended->now >= its.stopping->now + its.length("grace_ms");
}

bool EngineView::failed_by_itself(const HandlerRun& run) const {
  return (run.how == "failed" || run.how == "threw") && !run.told_to_stop &&
         !may_be_interrupted(run);
}

std::int64_t EngineView::run_number(const Claim& claim) const {
  const bool counts_this =
      facts.profile.counter == Counter::starts || facts.profile.counter == Counter::attempt_no;
  return std::max<std::int64_t>(claim.job.attempts + (counts_this ? 0 : 1), 1);
}

std::int64_t EngineView::runs_allowed_to(const Assignment& assignment) const {
  const auto& limit = assignment.claim.job.max_attempts;
  const auto own = limit && *limit > 0 ? limit : std::nullopt;
  const std::int64_t runs = runs_allowed(facts.profile, own);
  const std::int64_t most = worker(assignment.worker).number("most_runs");
  return most > 0 ? std::min(runs, most) : runs;
}

std::string EngineView::at(Instant instant) const {
  const std::int64_t ms = to_ms(instant) - to_ms(facts.start.value_or(instant));
  return fmt::format("{}{}.{:03} s", ms < 0 ? "-" : "+", std::abs(ms) / 1000, std::abs(ms) % 1000);
}

std::string EngineView::run(const HandlerRun& run) const {
  return fmt::format("{}'s run of {}", worker(run.worker).name, job(run.job_id));
}

}  // namespace assay::properties
