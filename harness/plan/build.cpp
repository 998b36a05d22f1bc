#include "harness/plan/build.h"

#include <algorithm>
#include <utility>

#include "harness/contract/check.h"

namespace assay {

When from_now(Duration offset) { return {.base = When::Base::now, .offset = offset}; }
When absolute(Instant at) {
  return {.base = When::Base::absolute, .offset = at.time_since_epoch()};
}
When due_of(const JobRef& job, Duration offset) {
  return {.base = When::Base::due, .job = job, .offset = offset};
}
When expiry_of(ClaimRef claim, Duration offset) {
  return {.base = When::Base::expiry, .claim = claim, .offset = offset};
}

JobRef job_of(ClaimRef claim) { return {.kind = JobRef::Kind::claimed, .claim = claim}; }
JobRef literal_job(std::string id) {
  return {.kind = JobRef::Kind::literal, .literal = std::move(id)};
}
TokenRef token_of(ClaimRef claim) { return {.kind = TokenRef::Kind::claim, .claim = claim}; }
TokenRef forged_token(std::string text) {
  return {.kind = TokenRef::Kind::forged, .forged = std::move(text)};
}
ClaimRef nth(ClaimRef first, int index) { return {.slot = first.slot, .index = index}; }
PayloadSpec text_payload(std::string bytes) { return {.text = std::move(bytes)}; }
PayloadSpec pattern_payload(std::uint64_t size, std::uint64_t seed) {
  return {.kind = PayloadSpec::Kind::pattern, .size = size, .seed = seed};
}
HoldArgs hold(ClaimRef claim) { return {.job = job_of(claim), .token = token_of(claim)}; }

PlanBuilder::PlanBuilder(const Profile& profile, std::string_view name) : profile_(profile) {
  plan_.name = "scenario/" + std::string(name);
  plan_.clients = {{"producer", Role::producer},
                   {"w1", Role::worker},
                   {"w2", Role::worker},
                   {"admin", Role::admin}};
}

int PlanBuilder::client(std::string name, Role role) {
  plan_.clients.push_back({std::move(name), role});
  return static_cast<int>(plan_.clients.size()) - 1;
}

Step& PlanBuilder::add(StepKind kind, int client) {
  Step& added = plan_.steps.emplace_back();
  added.kind = kind;
  added.client = client;
  added.free = free_;
  return added;
}

void PlanBuilder::step(Step step) { plan_.steps.push_back(std::move(step)); }

void PlanBuilder::look(const JobRef& job) {
  if (!free_ && job.kind != JobRef::Kind::none && has("inspect")) get(job);
}

void PlanBuilder::at_once(const std::function<void()>& calls) {
  if (!plan_.steps.empty() && plan_.steps.back().free) advance(Duration{0});
  free_ = true;
  calls();
  free_ = false;
}

JobRef PlanBuilder::enqueue(int client, const JobArgs& args) {
  Step& s = add(StepKind::enqueue, client);
  s.slot = next_slot(args.queue);
  s.queues = {args.queue};
  s.type = args.type;
  s.id = args.id;
  s.payload = args.payload;
  s.when = args.when;
  s.limit = args.limit;
  s.timeout = args.timeout;
  s.key = args.key;
  s.priority = args.priority;
  s.attempts = args.attempts;
  const JobRef made{.kind = JobRef::Kind::made, .slot = s.slot};
  look(made);
  return made;
}

int PlanBuilder::next_slot(std::string queue) {
  queues_.push_back(std::move(queue));
  return static_cast<int>(queues_.size()) - 1;
}

std::string PlanBuilder::queue_of(const JobRef& job) const {
  CHECK(job.kind == JobRef::Kind::made || job.kind == JobRef::Kind::claimed);
  const int slot = job.kind == JobRef::Kind::made ? job.slot : job.claim.slot;
  return queues_.at(static_cast<std::size_t>(slot));
}

ClaimRef PlanBuilder::reserve(int client, const ReserveArgs& args) {
  Step& s = add(StepKind::reserve, client);
  s.slot = next_slot(args.queues.empty() ? "" : args.queues.front());
  s.queues = args.queues;
  s.lease = args.lease;
  s.max = std::min(args.max, profile_.claim_batch);
  if (profile_.claim_style == ClaimStyle::by_id) s.job = args.job;
  const ClaimRef first{.slot = s.slot};
  if (args.job.kind != JobRef::Kind::none) look(args.job);
  for (int i = 0; i < args.max && args.job.kind == JobRef::Kind::none; ++i) {
    look(job_of(nth(first, i)));
  }
  return first;
}

ClaimRef PlanBuilder::claim(int client, const JobRef& job, Duration lease) {
  return reserve(client, {.queues = {queue_of(job)}, .job = job, .lease = lease});
}

ClaimRef PlanBuilder::reclaim(int client, ClaimRef lost, Duration lease) {
  advance_to_expiry(lost, profile_.reclaim_lag_max);
  if (profile_.expiry_to == ExpiryTo::backoff) {
    notice(client, lost, lease);
    advance(profile_.backoff.cap);
  }
  return claim(client, job_of(lost), lease);
}

// Nobody looks in between: what is judged is that the job comes back, not how it is shown.
void PlanBuilder::notice(int client, ClaimRef lost, Duration lease) {
  Step& s = add(StepKind::reserve, client);
  s.slot = next_slot(queue_of(job_of(lost)));
  s.queues = {queue_of(job_of(lost))};
  s.lease = lease;
  if (profile_.claim_style == ClaimStyle::by_id) s.job = job_of(lost);
}

void PlanBuilder::settle_step(StepKind kind, int client, const HoldArgs& hold,
                              const FailureArgs& args) {
  Step& s = add(kind, client);
  s.job = hold.job;
  s.token = hold.token;
  s.attempt_offset = hold.attempt_offset;
  if (kind != StepKind::ack && kind != StepKind::extend) s.error = args.error;
  if (kind == StepKind::retry || kind == StepKind::fail) s.attempts = args.attempts;
  if (kind == StepKind::retry) s.when = from_now(args.delay);
  if (kind == StepKind::fail) s.reason = "gave up";
}

void PlanBuilder::extend(int client, const HoldArgs& hold, Duration lease) {
  settle_step(StepKind::extend, client, hold, {});
  plan_.steps.back().lease = lease;
  look(hold.job);
}

void PlanBuilder::ack(int client, const HoldArgs& hold) {
  settle_step(StepKind::ack, client, hold, {});
  look(hold.job);
}

void PlanBuilder::record_failure(int client, const HoldArgs& hold, const FailureArgs& args) {
  const bool engine = profile_.decider == Decider::engine;
  settle_step(engine ? StepKind::retry : StepKind::nack, client, hold, args);
  look(hold.job);
}

void PlanBuilder::dead_letter(int client, const HoldArgs& hold, const FailureArgs& args) {
  const bool engine = profile_.decider == Decider::engine;
  settle_step(engine ? StepKind::fail : StepKind::nack, client, hold, args);
  if (!engine) plan_.steps.back().unrecoverable = true;
  look(hold.job);
}

void PlanBuilder::settle(int client, SettleKind kind, const HoldArgs& hold) {
  switch (kind) {
    case SettleKind::ack:
      return ack(client, hold);
    case SettleKind::failure:
      return record_failure(client, hold);
    case SettleKind::dead:
      return dead_letter(client, hold);
  }
}

void PlanBuilder::cancel(const JobRef& job) {
  add(StepKind::cancel, admin).job = job;
  look(job);
}

void PlanBuilder::pause(std::string queue) {
  add(StepKind::pause, admin).queues = {std::move(queue)};
}

void PlanBuilder::resume(std::string queue) {
  add(StepKind::resume, admin).queues = {std::move(queue)};
}

void PlanBuilder::get(const JobRef& job) { add(StepKind::get, admin).job = job; }

void PlanBuilder::list(std::string queue, std::optional<JobState> state, std::int64_t limit) {
  Step& s = add(StepKind::list, admin);
  s.queues = {std::move(queue)};
  s.state = state;
  s.limit = limit;
}

void PlanBuilder::list_more(std::string queue, std::optional<JobState> state, std::int64_t limit) {
  list(std::move(queue), state, limit);
  plan_.steps.back().next_page = true;
}

void PlanBuilder::dead(std::string queue, std::int64_t limit) {
  Step& s = add(StepKind::dead, admin);
  s.queues = {std::move(queue)};
  s.limit = limit;
}

void PlanBuilder::dead_more(std::string queue, std::int64_t limit) {
  dead(std::move(queue), limit);
  plan_.steps.back().next_page = true;
}

JobRef PlanBuilder::requeue(const JobRef& job, bool reset, std::optional<When> run_at) {
  Step& s = add(StepKind::requeue, admin);
  s.slot = next_slot(job.kind == JobRef::Kind::literal ? "q" : queue_of(job));
  s.job = job;
  s.reset_attempts = reset;
  s.when = run_at;
  const JobRef made{.kind = JobRef::Kind::made, .slot = s.slot};
  look(job);
  if (profile_.replay == Replay::fresh_job) look(made);
  return made;
}

void PlanBuilder::close(int client) { add(StepKind::close, client); }

void PlanBuilder::advance(Duration by) { advance_to(from_now(by)); }

int PlanBuilder::fault(std::string name, int client, FaultArgs with) {
  Step& step = add(StepKind::begin_fault, client);
  step.fault = FaultSpec{std::move(name), false, std::move(with)};
  return step.slot = next_slot("");
}

int PlanBuilder::fault_of_all(std::string name, FaultArgs with) {
  Step& step = add(StepKind::begin_fault, 0);
  step.fault = FaultSpec{std::move(name), true, std::move(with)};
  return step.slot = next_slot("");
}

void PlanBuilder::end_fault(int fault) { add(StepKind::end_fault, 0).slot = fault; }

void PlanBuilder::advance_to(const When& when) { add(StepKind::advance, admin).when = when; }

void PlanBuilder::advance_to_expiry(ClaimRef claim, Duration offset) {
  advance_to(expiry_of(claim, offset));
}

void PlanBuilder::advance_to_due(const JobRef& job, Duration offset) {
  advance_to(due_of(job, offset));
}

}  // namespace assay
