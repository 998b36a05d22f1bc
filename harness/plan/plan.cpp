#include "harness/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/plan/flow_text.h"

namespace assay {

static constexpr std::array<std::string_view, 26> step_names{"enqueue",
                                                             "reserve",
                                                             "extend",
                                                             "ack",
                                                             "retry",
                                                             "fail",
                                                             "nack",
                                                             "cancel",
                                                             "pause",
                                                             "resume",
                                                             "get",
                                                             "list",
                                                             "dead",
                                                             "requeue",
                                                             "close",
                                                             "advance",
                                                             "begin_fault",
                                                             "end_fault",
                                                             "start_worker",
                                                             "stop_worker",
                                                             "kill_worker",
                                                             "submit_flow",
                                                             "declare_schedule",
                                                             "pause_schedule",
                                                             "resume_schedule",
                                                             "sweep_flows"};

static constexpr std::array<std::string_view, 4> worker_kinds{"worker", "dispatcher", "scheduler",
                                                              "caller"};

static constexpr std::uint64_t payload_max = 64 << 20;

std::string_view name_of(StepKind kind) { return step_names[static_cast<std::size_t>(kind)]; }

std::optional<StepKind> step_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < step_names.size(); ++i)
    if (step_names[i] == name) return static_cast<StepKind>(i);
  return std::nullopt;
}

std::string_view name_of(WorkerSpec::Kind kind) {
  return worker_kinds[static_cast<std::size_t>(kind)];
}

std::optional<WorkerSpec::Kind> worker_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < worker_kinds.size(); ++i)
    if (worker_kinds[i] == name) return static_cast<WorkerSpec::Kind>(i);
  return std::nullopt;
}

bool is_of_the_world(StepKind kind) {
  return kind == StepKind::advance || kind == StepKind::begin_fault ||
         kind == StepKind::end_fault || is_of_a_worker(kind);
}

bool is_of_a_worker(StepKind kind) {
  return kind == StepKind::start_worker || kind == StepKind::stop_worker ||
         kind == StepKind::kill_worker;
}

static bool same_mover(const Step& a, const Step& b) {
  const bool world = is_of_the_world(a.kind);
  return world == is_of_the_world(b.kind) && (world || a.client == b.client);
}

bool has_faults(const Plan& plan) {
  return std::ranges::find(plan.steps, StepKind::begin_fault, &Step::kind) != plan.steps.end();
}

bool has_cuts(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const Step& step) { return step.cut.has_value(); });
}

bool is_free(const Plan& plan) {
  const Step* before = nullptr;
  for (const Step& step : plan.steps) {
    if (step.free && before && !same_mover(*before, step)) return true;
    before = step.free ? &step : nullptr;
  }
  return false;
}

std::size_t free_until(const Plan& plan, std::size_t from) {
  while (from < plan.steps.size() && plan.steps[from].free) ++from;
  return from;
}

namespace {

// The first thing that is wrong, or nothing.
using Wrong = std::optional<std::string>;

Wrong wrong_with(const ClaimRef& claim) {
  if (claim.slot < 0) return "a negative slot of claims";
  if (claim.index < 0) return "a negative index of a claim";
  return std::nullopt;
}

Wrong wrong_with(const JobRef& job) {
  if (job.kind == JobRef::Kind::made && job.slot < 0) return "a negative slot of a job";
  if (job.kind == JobRef::Kind::claimed) return wrong_with(job.claim);
  return std::nullopt;
}

Wrong wrong_with(const When& when) {
  if (to_ms(when.offset) > to_ms(end_of_time) || to_ms(when.offset) < -to_ms(end_of_time))
    return "an instant beyond the year 9999";
  if (when.base == When::Base::due && when.job.kind == JobRef::Kind::none)
    return "a due time of no job";
  if (when.base == When::Base::due) return wrong_with(when.job);
  if (when.base == When::Base::expiry) return wrong_with(when.claim);
  return std::nullopt;
}

Wrong wrong_with_worker(const Step& step, std::size_t workers) {
  if (is_of_a_worker(step.kind) && step.worker < 0) return "no worker is named";
  if (step.worker >= 0 && static_cast<std::size_t>(step.worker) >= workers)
    return fmt::format("worker {} is not there: the plan has {}", step.worker, workers);
  return std::nullopt;
}

Wrong wrong_with(const WorkerSpec& worker) {
  if (worker.queues.empty()) return "it has no queue";
  if (worker.concurrency < 1 || worker.concurrency > 1'000)
    return "its concurrency is not 1 to 1000";
  if (worker.lease && *worker.lease < Duration{3}) return "its lease is too short";
  for (const auto& length : {worker.timeout, worker.rate_every})
    if (length && *length <= Duration{0}) return "a length of time is not positive";
  if (worker.grace < Duration{0} || worker.interruption < Duration{0})
    return "a length of time is negative";
  if (worker.every && *worker.every < Duration{1}) return "it looks without a pause";
  if (!worker.looks_itself && !worker.hears) return "it neither looks for jobs nor hears of them";
  if (worker.most_runs.value_or(1) < 1 || worker.type_limit.value_or(1) < 1)
    return "it may never run a job";
  return std::nullopt;
}

Wrong wrong_with(const Step& step, std::size_t clients) {
  if (step.client < 0 || static_cast<std::size_t>(step.client) >= clients)
    return fmt::format("client {} is not there: the plan has {}", step.client, clients);
  if (step.slot < -1) return fmt::format("a negative slot, {}", step.slot);
  if (step.payload.size > payload_max)
    return fmt::format("a payload of {} bytes; at most {} are made", step.payload.size,
                       payload_max);
  if (step.kind != StepKind::reserve && step.queues.size() > 1)
    return fmt::format("{} queues; only a reserve asks for more than one", step.queues.size());
  if (step.kind == StepKind::advance && !step.when) return "an advance without an instant";
  if (step.kind == StepKind::begin_fault && (!step.fault || step.fault->name.empty()))
    return "a fault without a name";
  if (step.kind == StepKind::end_fault && step.slot < 0) return "the end of no fault: no slot";
  if (step.kind == StepKind::retry && !step.when) return "a retry without a run time";
  if (step.kind == StepKind::submit_flow)
    if (const auto flow = flow_in(step.what); !flow.ok()) return flow.error().message;
  const bool is_of_flows = step.kind == StepKind::submit_flow || step.kind == StepKind::sweep_flows;
  if (is_of_flows && (step.max < 1 || step.max > 4)) return "it is done by 1 to 4 at once";
  if (step.kind == StepKind::kill_worker && step.limit.value_or(1) < 1) return "a death at no call";
  if (auto wrong = wrong_with(step.job)) return wrong;
  if (step.token.kind == TokenRef::Kind::claim)
    if (auto wrong = wrong_with(step.token.claim)) return wrong;
  return step.when ? wrong_with(*step.when) : std::nullopt;
}

}  // namespace

Status validate(const Plan& plan) {
  if (plan.clients.empty()) return invalid("a plan needs a client");
  std::set<std::string_view> names;
  for (const auto& client : plan.clients) {
    if (client.name.empty()) return invalid("a client without a name");
    if (!names.insert(client.name).second)
      return invalid(fmt::format("two clients named \"{}\"", client.name));
  }
  if (plan.schedule && plan.workers.empty())
    for (const int client : plan.schedule->choices)
      if (client != Schedule::next_round &&
          (client < 0 || static_cast<std::size_t>(client) > plan.clients.size()))
        return invalid(fmt::format("a choice of client {}: the plan has {}, and the clock", client,
                                   plan.clients.size()));
  for (const WorkerSpec& worker : plan.workers) {
    if (worker.name.empty()) return invalid("a worker without a name");
    if (!names.insert(worker.name).second)
      return invalid(fmt::format("two of the name \"{}\"", worker.name));
    if (auto wrong = wrong_with(worker))
      return invalid(fmt::format("worker {}: {}", worker.name, *wrong));
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (auto wrong = wrong_with_worker(plan.steps[i], plan.workers.size()))
      return invalid(fmt::format("step {} ({}): {}", i, name_of(plan.steps[i].kind), *wrong));
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (auto wrong = wrong_with(plan.steps[i], plan.clients.size()))
      return invalid(fmt::format("step {} ({}): {}", i, name_of(plan.steps[i].kind), *wrong));
  return Done{};
}

}  // namespace assay
