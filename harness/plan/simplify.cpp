#include "harness/plan/detail/simplify.h"

#include <algorithm>
#include <map>

namespace assay::detail {
namespace {

// Each name becomes the same plain one wherever it stands; different ones stay different.
class Renames {
 public:
  explicit Renames(std::string plain) : plain_(std::move(plain)) {}

  std::string operator()(const std::string& name) {
    const auto next = plain_ + (names_.empty() ? "" : std::to_string(names_.size() + 1));
    return names_.emplace(name, next).first->second;
  }

 private:
  std::string plain_;
  std::map<std::string, std::string> names_;
};

Plan plain_queues(const Plan& plan) {
  Plan simpler = plan;
  Renames renames("q");
  for (auto& step : simpler.steps)
    for (auto& queue : step.queues) queue = renames(queue);
  for (auto& worker : simpler.workers)
    for (auto& queue : worker.queues) queue = renames(queue);
  return simpler;
}

Plan one_queue(const Plan& plan) {
  Plan simpler = plan;
  for (auto& step : simpler.steps)
    if (!step.queues.empty()) step.queues = {"q"};
  for (auto& worker : simpler.workers) worker.queues = {"q"};
  return simpler;
}

Plan plain_types(const Plan& plan) {
  Plan simpler = plan;
  for (auto& step : simpler.steps)
    if (step.kind == StepKind::enqueue) step.type = "t";
  return simpler;
}

Plan plain_keys(const Plan& plan) {
  Plan simpler = plan;
  Renames renames("k");
  for (auto& step : simpler.steps)
    if (step.key) step.key = renames(*step.key);
  return simpler;
}

Plan plain_ids(const Plan& plan) {
  Plan simpler = plan;
  Renames renames("job");
  const auto rename = [&](JobRef& job) {
    if (job.kind == JobRef::Kind::literal) job.literal = renames(job.literal);
  };
  for (auto& step : simpler.steps) {
    if (step.id) step.id = renames(*step.id);
    rename(step.job);
    if (step.when) rename(step.when->job);
  }
  return simpler;
}

Plan plain_payloads(const Plan& plan) {
  Plan simpler = plan;
  for (auto& step : simpler.steps) step.payload = {};
  return simpler;
}

void to_offset(Step& step, Duration offset) {
  if (step.when) step.when->offset = offset;
}

constexpr PlanChange all_plan_changes[] = {one_queue,  plain_queues, plain_types,
                                           plain_keys, plain_ids,    plain_payloads};

constexpr StepChange all_step_changes[] = {
    [](Step& step) { step.cut.reset(); },
    [](Step& step) {
      if (step.fault) step.fault->with.clear();  // the usual numbers
    },
    [](Step& step) { step.free = false; },
    [](Step& step) { step.id.reset(); },
    [](Step& step) { step.payload = {}; },
    [](Step& step) { step.payload.size = std::min<std::uint64_t>(step.payload.size, 4'097); },
    [](Step& step) {
      if (step.kind == StepKind::enqueue || step.kind == StepKind::requeue) step.when.reset();
    },
    [](Step& step) { step.limit.reset(); },
    [](Step& step) { step.key.reset(); },
    [](Step& step) { step.priority.reset(); },
    [](Step& step) { step.timeout.reset(); },
    [](Step& step) { step.attempts.reset(); },
    [](Step& step) { step.attempt_offset.reset(); },
    [](Step& step) { step.error.clear(); },
    [](Step& step) { step.reason.clear(); },
    [](Step& step) { step.unrecoverable = false; },
    [](Step& step) { step.reset_attempts = false; },
    [](Step& step) { step.state.reset(); },
    [](Step& step) { step.next_page = false; },
    [](Step& step) { step.cursor.reset(); },
    [](Step& step) { step.max = 1; },
    [](Step& step) {
      if (step.queues.size() > 1) step.queues.resize(1);
    },
    [](Step& step) { step.lease = Duration(30'000); },
    [](Step& step) {
      if (step.when && step.when->base != When::Base::now) step.when = When{.offset = Duration(0)};
    },
    [](Step& step) {
      if (step.when && step.when->base == When::Base::absolute)
        step.when = When{.offset = Duration(1)};
    },
    [](Step& step) { to_offset(step, Duration(0)); },
    [](Step& step) {
      if (step.when && step.when->offset > Duration(1)) to_offset(step, Duration(1));
    },
    [](Step& step) {
      if (step.when && step.when->offset < Duration(-1)) to_offset(step, Duration(-1));
    },
    [](Step& step) {
      if (step.when && step.when->offset > Duration(1'000)) to_offset(step, Duration(1'000));
    },
    [](Step& step) {
      if (step.when && step.when->offset > Duration(60'000)) to_offset(step, Duration(60'000));
    },
    [](Step& step) {
      if (step.when && step.when->offset > Duration(3'600'000))
        to_offset(step, Duration(3'600'000));
    },
    [](Step& step) {
      if (step.limit && *step.limit > 1) step.limit = 1;
    },
    [](Step& step) {
      if (step.limit && *step.limit > 2) step.limit = 2;
    },
};

Plan with_clients(const Plan& plan, const std::vector<std::size_t>& kept,
                  const std::vector<int>& heirs) {
  Plan fewer{plan.name, {}, plan.steps, plan.schedule};
  for (const auto index : kept) fewer.clients.push_back(plan.clients[index]);
  for (auto& step : fewer.steps) step.client = heirs[static_cast<std::size_t>(step.client)];
  if (!fewer.schedule) return fewer;
  const int clock = static_cast<int>(plan.clients.size());
  for (int& choice : fewer.schedule->choices) {
    if (choice == clock)
      choice = static_cast<int>(kept.size());
    else if (choice != Schedule::next_round)
      choice = heirs[static_cast<std::size_t>(choice)];
  }
  return fewer;
}

// Makes slots dense in the order in which they are filled. A slot that nobody fills gets a number
// that nobody fills either.
class SlotNames {
 public:
  int operator()(int slot) {
    if (slot < 0) return slot;
    return names_.emplace(slot, static_cast<int>(names_.size())).first->second;
  }

 private:
  std::map<int, int> names_;
};

}  // namespace

const std::span<const PlanChange> plan_changes = all_plan_changes;
const std::span<const StepChange> step_changes = all_step_changes;

Plan without_worker(const Plan& plan, std::size_t worker) {
  Plan simpler = plan;
  simpler.workers.erase(simpler.workers.begin() + static_cast<std::ptrdiff_t>(worker));
  const int gone = static_cast<int>(worker);
  std::erase_if(simpler.steps, [&](const Step& step) { return step.worker == gone; });
  for (Step& step : simpler.steps)
    if (step.worker > gone) --step.worker;
  return simpler;
}

Plan without_unused_clients(const Plan& plan) {
  std::vector<bool> used(plan.clients.size());
  for (const auto& step : plan.steps)
    if (!is_of_the_world(step.kind) || (step.fault && !step.fault->everybody))
      used[static_cast<std::size_t>(step.client)] = true;
  if (std::find(used.begin(), used.end(), true) == used.end()) used[0] = true;
  std::vector<std::size_t> kept;
  std::vector<int> heirs;
  for (std::size_t i = 0; i < used.size(); ++i) {
    heirs.push_back(used[i] ? static_cast<int>(kept.size()) : 0);
    if (used[i]) kept.push_back(i);
  }
  return with_clients(plan, kept, heirs);
}

bool may_be_one(const Plan& plan, std::size_t one, std::size_t other) {
  const auto claims = [&](std::size_t client) {
    return std::ranges::any_of(plan.steps, [&](const Step& step) {
      return step.kind == StepKind::reserve && step.client == static_cast<int>(client);
    });
  };
  return plan.clients[one].role == plan.clients[other].role && !(claims(one) && claims(other));
}

Plan with_clients_merged(const Plan& plan, std::size_t gone, std::size_t heir) {
  std::vector<std::size_t> kept;
  std::vector<int> heirs;
  for (std::size_t i = 0; i < plan.clients.size(); ++i) {
    heirs.push_back(static_cast<int>(i > gone ? i - 1 : i));
    if (i != gone) kept.push_back(i);
  }
  heirs[gone] = heirs[heir];
  return with_clients(plan, kept, heirs);
}

Plan with_dense_slots(const Plan& plan) {
  Plan dense = plan;
  SlotNames jobs;
  SlotNames claims;
  for (auto& step : dense.steps) {
    if (step.kind == StepKind::reserve) step.slot = claims(step.slot);
    if (step.kind == StepKind::enqueue || step.kind == StepKind::requeue)
      step.slot = jobs(step.slot);
  }
  const auto rename_claim = [&](ClaimRef& claim) { claim.slot = claims(claim.slot); };
  const auto rename_job = [&](JobRef& job) {
    if (job.kind == JobRef::Kind::made) job.slot = jobs(job.slot);
    if (job.kind == JobRef::Kind::claimed) rename_claim(job.claim);
  };
  for (auto& step : dense.steps) {
    rename_job(step.job);
    const bool settles = step.kind >= StepKind::extend && step.kind <= StepKind::nack;
    if (settles && step.token.kind == TokenRef::Kind::claim) rename_claim(step.token.claim);
    if (step.when && step.when->base == When::Base::due) rename_job(step.when->job);
    if (step.when && step.when->base == When::Base::expiry) rename_claim(step.when->claim);
  }
  return dense;
}

}  // namespace assay::detail
