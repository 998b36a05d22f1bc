#include "harness/plan/detail/author.h"

#include <algorithm>

#include "harness/plan/hostile.h"

namespace assay::detail {

static constexpr std::int64_t far_ms = 60'000;

Can::Can(const Profile& profile)
    : schedule(profile.has("schedule_at_enqueue")),
      priority(profile.has("priority")),
      timeouts(profile.has("timeouts")),
      cancel(profile.has("cancel")),
      pause(profile.has("pause")),
      inspect(profile.has("inspect")),
      list(profile.has("list_paged")),
      dead(profile.has("dlq_ops")),
      replay(dead && profile.replay != Replay::none),
      queue_set(profile.has("queue_set_claim")) {}

Author::Author(const Profile& profile, const rc::Random& random, int steps)
    : profile_(profile),
      can_(profile),
      draw_(random),
      workers_(1 + draw_.below(2)),
      admin_(workers_ + 1),
      hostile_(draw_.percent(10) ? draw_.below(static_cast<int>(hostile_names().size())) : -1),
      forecast_(profile, 3) {
  plan_.steps.reserve(static_cast<std::size_t>(steps) + 48);
  plan_.clients.push_back({"producer", Role::producer});
  for (int i = 1; i <= workers_; ++i)
    plan_.clients.push_back({"w" + std::to_string(i), Role::worker});
  plan_.clients.push_back({"admin", Role::admin});
  const int queues = 1 + draw_.below(3);
  for (int i = 0; i < queues; ++i) queues_.push_back(name("q", i, i));
  for (int i = 0; i < 2; ++i) types_.push_back(name("t", i, i + 3));
  for (int i = 0; i < 2; ++i) keys_.push_back(name("k", i, i + 5));
}

std::string Author::name(const char* plain, int index, int hostile) {
  if (hostile_ < 0) return plain + std::to_string(index);
  const auto names = hostile_names();
  return std::string(names[static_cast<std::size_t>(hostile_ + hostile) % names.size()]);
}

Step& Author::add(StepKind kind, int client) {
  Step& added = plan_.steps.emplace_back();
  added.kind = kind;
  added.client = client;
  return added;
}

void Author::time_fields(Step& step, ExpectedJob& job) {
  job.due = forecast_.now();
  if (!can_.schedule || !draw_.percent(35)) return;
  const std::int64_t delay = draw_.one_of<std::int64_t>({-1, 0, 1, 10, 1'000, 1'000, far_ms});
  step.when = When{.offset = Duration{delay}};
  job.due += delay;
  if (!draw_.percent(2)) return;
  const Instant at = draw_.percent(50) ? end_of_time : Instant{};
  step.when = When{.base = When::Base::absolute, .offset = at.time_since_epoch()};
  job.due = to_ms(at) - to_ms(run_epoch);
}

void Author::limit_fields(Step& step, ExpectedJob& job) {
  if (draw_.percent(70)) step.limit = draw_.one_of<std::int64_t>({0, 1, 1, 2, 3, 5});
  job.runs = runs_allowed(profile_, step.limit);
  if (profile_.decider == Decider::engine && step.limit.value_or(0) > 1 && draw_.percent(4))
    job.failures = *(step.attempts = 1);
}

void Author::job_fields(Step& step, ExpectedJob& job) {
  step.slot = slots_++;
  job.ref = {.kind = JobRef::Kind::made, .slot = step.slot};
  job.queue = draw_.below(queues());
  job.type = draw_.below(2);
  step.queues.push_back(queues_[static_cast<std::size_t>(job.queue)]);
  step.type = types_[static_cast<std::size_t>(job.type)];
  if (draw_.percent(10))
    step.payload = {.kind = PayloadSpec::Kind::pattern,
                    .size = static_cast<std::uint64_t>(draw_.one_of({0, 1, 300, 5'000})),
                    .seed = static_cast<std::uint64_t>(draw_.below(1'000))};
  else
    step.payload.text = std::to_string(step.slot);
  if (can_.priority && draw_.percent(25))
    step.priority = job.priority = draw_.one_of<std::int64_t>({-1, 0, 1, 9});
  if (can_.timeouts && draw_.percent(10)) step.timeout = Duration{5'000};
  time_fields(step, job);
  limit_fields(step, job);
}

void Author::enqueue() {
  Step& step = add(StepKind::enqueue, 0);
  ExpectedJob job;
  job_fields(step, job);
  if (profile_.idem != Idem::none && draw_.percent(35)) {
    job.key = draw_.below(2);
    step.key = keys_[static_cast<std::size_t>(job.key)];
  }
  if (draw_.percent(15)) {
    step.id = hostile_ < 0 ? "id-" : name("", 0, 7);
    *step.id += std::to_string(step.slot);
    if (!step.key) identified_.push_back(plan_.steps.size() - 1);
  }
  forecast_.enqueue(job);
}

void Author::enqueue_known_key() {
  const int known =
      draw_.index_of(forecast_.jobs(), [](const ExpectedJob& job) { return job.key >= 0; });
  if (profile_.idem == Idem::none || known < 0) return enqueue();
  const ExpectedJob& holder = forecast_.jobs()[static_cast<std::size_t>(known)];
  Step& step = add(StepKind::enqueue, 0);
  ExpectedJob job;
  job_fields(step, job);
  job.key = holder.key;
  step.key = keys_[static_cast<std::size_t>(job.key)];
  if (draw_.percent(75)) {
    job.queue = holder.queue;
    step.queues.front() = queues_[static_cast<std::size_t>(job.queue)];
    job.type = holder.type;
    step.type = types_[static_cast<std::size_t>(job.type)];
  }
  forecast_.enqueue(job);
}

static void lengthen(PayloadSpec& payload) {
  if (payload.kind == PayloadSpec::Kind::pattern)
    ++payload.size;
  else
    payload.text += "!";
}

void Author::enqueue_known_id() {
  if (profile_.dup_id == DupId::undefined || identified_.empty()) return enqueue();
  const auto which = draw_.below(static_cast<int>(identified_.size()));
  Step again = plan_.steps[identified_[static_cast<std::size_t>(which)]];
  again.slot = slots_++;
  if (draw_.percent(50)) again.type = types_[static_cast<std::size_t>(draw_.below(2))];
  if (draw_.percent(30)) lengthen(again.payload);
  plan_.steps.push_back(std::move(again));
}

void Author::enqueue_invalid() {
  Step& step = add(StepKind::enqueue, 0);
  step.slot = slots_++;
  step.queues = {queues_.front()};
  step.type = types_.front();
  switch (draw_.below(can_.timeouts ? 7 : 6)) {
    case 0:
      step.queues.front().clear();
      break;
    case 1:
      step.type.clear();
      break;
    case 2:
      step.id = "";
      break;
    case 3:
      step.limit = -1;
      break;
    case 4:
      step.attempts = -1;
      break;
    case 5:
      step.limit = 2;
      step.attempts = 3;
      break;
    default:
      step.timeout = Duration{-1};
  }
}

void Author::reserve(int client, unsigned queues, int job) {
  Step& step = add(StepKind::reserve, client);
  Asked asked{.queues = queues, .client = client, .slot = slots_++};
  step.slot = asked.slot;
  if (profile_.claim_style == ClaimStyle::by_id && job >= 0) {
    const ExpectedJob& meant = forecast_.jobs()[static_cast<std::size_t>(job)];
    step.job = meant.ref;
    asked.job = job;
    asked.queues = 1U << meant.queue;
  }
  for (int i = 0; i < this->queues(); ++i)
    if ((asked.queues >> i & 1U) != 0) step.queues.push_back(queues_[static_cast<std::size_t>(i)]);
  asked.lease_ms = draw_.one_of<std::int64_t>({1, 10, 1'000, 1'000, 5'000, 30'000});
  step.lease = Duration{asked.lease_ms};
  if (profile_.claim_batch > 1 && draw_.percent(20))
    asked.max = std::min<std::int64_t>(profile_.claim_batch, 2 + draw_.below(3));
  step.max = asked.max;
  forecast_.reserve(asked);
}

void Author::reserve_invalid() {
  const auto& jobs = forecast_.jobs();
  const bool by_id = profile_.claim_style == ClaimStyle::by_id;
  if (by_id && jobs.empty()) return enqueue_invalid();
  Step& step = add(StepKind::reserve, any_worker());
  step.slot = slots_++;
  step.queues = {queues_.front()};
  if (by_id) step.job = jobs.front().ref;
  switch (draw_.below(4)) {
    case 0:
      step.lease = Duration{draw_.one_of({0, -1})};
      break;
    case 1:
      step.max = 0;
      break;
    case 2:
      step.queues.clear();
      break;
    default:
      step.queues.front().clear();
  }
}

void Author::settle_fields(Step& step, const Spoken& spoken) {
  const ExpectedClaim& claim = forecast_.claims()[static_cast<std::size_t>(spoken.claim)];
  step.job = {.kind = JobRef::Kind::claimed, .claim = claim.ref};
  if (spoken.job >= 0) step.job = forecast_.jobs()[static_cast<std::size_t>(spoken.job)].ref;
  step.token.claim = claim.ref;
  step.attempt_offset = spoken.attempt_offset;
  if (!spoken.forged) return;
  step.token = {.kind = TokenRef::Kind::forged,
                .forged = draw_.one_of({"", "0", "forged", "' OR 1=1"})};
}

void Author::extend(int client, const Spoken& spoken) {
  Step& step = add(StepKind::extend, client);
  settle_fields(step, spoken);
  const std::int64_t lease =
      draw_.percent(2) ? 0 : draw_.one_of<std::int64_t>({1, 1'000, 5'000, 30'000});
  step.lease = Duration{lease};
  if (!spoken.forged && spoken.job < 0 && lease > 0) forecast_.extend(spoken.claim, lease);
}

void Author::settle(int client, const Spoken& spoken, Ending ending) {
  const bool store = profile_.decider == Decider::store;
  const StepKind kind = ending == Ending::ack       ? StepKind::ack
                        : store                     ? StepKind::nack
                        : ending == Ending::failure ? StepKind::retry
                                                    : StepKind::fail;
  Step& step = add(kind, client);
  settle_fields(step, spoken);
  const ExpectedClaim& claim = forecast_.claims()[static_cast<std::size_t>(spoken.claim)];
  const ExpectedJob& job = forecast_.jobs()[static_cast<std::size_t>(claim.job)];
  std::int64_t delay = forecast_.window_ms(job.failures + 1);
  if (ending != Ending::ack) step.error = "e" + std::to_string(step.slot + steps());
  if (kind == StepKind::nack) step.unrecoverable = ending == Ending::dead;
  if (kind == StepKind::fail) step.reason = "gave up";
  if (kind == StepKind::retry) {
    delay = draw_.one_of<std::int64_t>({0, 1, 10, 1'000, far_ms});
    step.when = When{.offset = Duration{delay}};
    if (draw_.percent(5)) step.attempts = draw_.below(4);
  }
  const bool honest = !spoken.forged && spoken.job < 0 && !spoken.attempt_offset;
  if (honest) forecast_.settle(spoken.claim, ending, delay);
}

void Author::cancel(int job) {
  add(StepKind::cancel, admin_).job = forecast_.jobs()[static_cast<std::size_t>(job)].ref;
  forecast_.cancel(job);
}

void Author::pause(int queue) {
  add(StepKind::pause, admin_).queues = {queues_[static_cast<std::size_t>(queue)]};
  forecast_.pause(queue);
}

void Author::resume(int queue) {
  add(StepKind::resume, admin_).queues = {queues_[static_cast<std::size_t>(queue)]};
  forecast_.resume(queue);
}

void Author::get(int job) {
  if (!can_.inspect) return;
  add(StepKind::get, admin_).job = forecast_.jobs()[static_cast<std::size_t>(job)].ref;
}

void Author::get_unknown() {
  if (!can_.inspect) return;
  add(StepKind::get, admin_).job = {.kind = JobRef::Kind::literal, .literal = "nobody"};
}

void Author::page(StepKind kind, int queue) {
  const std::int64_t limit = draw_.one_of<std::int64_t>({1, 1, 2, 3, 100});
  const int pages = limit == 100 ? 1 : 1 + draw_.below(4);
  for (int i = 0; i < pages; ++i) {
    Step& step = add(kind, admin_);
    step.queues = {queues_[static_cast<std::size_t>(queue)]};
    step.limit = limit;
    step.next_page = i > 0;
  }
}

void Author::list(int queue) {
  const auto first = plan_.steps.size();
  page(StepKind::list, queue);
  if (draw_.percent(3)) plan_.steps[first].cursor = "no-cursor";
  if (!draw_.percent(50)) return;
  const auto state = static_cast<JobState>(draw_.below(6));
  for (auto i = first; i < plan_.steps.size(); ++i) plan_.steps[i].state = state;
}

void Author::list_dead(int queue) { page(StepKind::dead, queue); }

void Author::requeue(int job) {
  Step& step = add(StepKind::requeue, admin_);
  step.slot = slots_++;
  step.job = forecast_.jobs()[static_cast<std::size_t>(job)].ref;
  step.reset_attempts = draw_.percent(40);
  std::int64_t delay = 0;
  if (can_.schedule && draw_.percent(30)) {
    delay = draw_.one_of<std::int64_t>({0, 1, 1'000});
    step.when = When{.offset = Duration{delay}};
  }
  const JobRef made{.kind = JobRef::Kind::made, .slot = step.slot};
  forecast_.requeue(job, made, delay);
}

void Author::close(int client) { add(StepKind::close, client); }

void Author::advance(std::int64_t ms) {
  add(StepKind::advance, admin_).when = When{.offset = Duration{ms}};
  forecast_.move_to(forecast_.now() + ms);
}

void Author::advance_to_expiry(int claim, std::int64_t offset_ms) {
  const ExpectedClaim& held = forecast_.claims()[static_cast<std::size_t>(claim)];
  add(StepKind::advance, admin_).when =
      When{.base = When::Base::expiry, .claim = held.ref, .offset = Duration{offset_ms}};
  forecast_.move_to(held.expires + offset_ms);
}

void Author::advance_to_due(int job, std::int64_t offset_ms) {
  const ExpectedJob& waiting = forecast_.jobs()[static_cast<std::size_t>(job)];
  add(StepKind::advance, admin_).when =
      When{.base = When::Base::due, .job = waiting.ref, .offset = Duration{offset_ms}};
  forecast_.move_to(waiting.due + offset_ms);
}

}  // namespace assay::detail
