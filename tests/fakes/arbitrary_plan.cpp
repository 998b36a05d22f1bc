#include "tests/fakes/arbitrary.h"

namespace assay::fakes {
namespace {

int any_slot() { return *rc::gen::inRange(0, 12); }
ClaimRef any_claim_ref() { return {any_slot(), *rc::gen::inRange(0, 3)}; }

JobRef any_job_ref(bool none) {
  JobRef job;
  job.kind = static_cast<JobRef::Kind>(*rc::gen::inRange(none ? 0 : 1, 4));
  if (job.kind == JobRef::Kind::made) job.slot = any_slot();
  if (job.kind == JobRef::Kind::claimed) job.claim = any_claim_ref();
  if (job.kind == JobRef::Kind::literal) job.literal = *any_text();
  return job;
}

TokenRef any_token_ref() {
  if (any_flag()) return {.kind = TokenRef::Kind::forged, .forged = *any_text()};
  return {.claim = any_claim_ref()};
}

When any_when() {
  When when;
  when.base = static_cast<When::Base>(*rc::gen::inRange(0, 4));
  if (when.base == When::Base::due) when.job = any_job_ref(false);
  if (when.base == When::Base::expiry) when.claim = any_claim_ref();
  when.offset = Duration(*rc::gen::inRange<std::int64_t>(-90'000, 90'000));
  return when;
}

PayloadSpec any_payload_spec() {
  if (any_flag()) return {.text = *any_text()};
  return {.kind = PayloadSpec::Kind::pattern,
          .size = static_cast<std::uint64_t>(*rc::gen::inRange(0, 20'000)),
          .seed = *rc::gen::arbitrary<std::uint64_t>()};
}

std::vector<std::string> any_queues(StepKind kind) {
  const int most = kind == StepKind::reserve ? 4 : 2;
  std::vector<std::string> queues(static_cast<std::size_t>(*rc::gen::inRange(0, most)));
  for (auto& queue : queues) queue = *any_text();
  return queues;
}

Step any_step(int clients) {
  Step step;
  step.kind = static_cast<StepKind>(*rc::gen::inRange(0, 16));
  step.client = *rc::gen::inRange(0, clients);
  step.free = step.kind != StepKind::advance && any_flag();
  step.slot = any_slot() - 1;
  step.job = any_job_ref(true);
  step.token = any_token_ref();
  step.attempt_offset = maybe(any_number);
  step.id = maybe_text();
  step.queues = any_queues(step.kind);
  step.type = *any_text();
  step.what = *any_text();
  step.payload = any_payload_spec();
  step.when = any_when();
  step.limit = maybe(any_number);
  step.timeout = maybe(any_duration);
  step.key = maybe_text();
  step.priority = maybe(any_number);
  step.announced = any_flag();
  step.lease = any_flag() ? any_duration() : step.lease;
  step.max = any_number();
  step.attempts = maybe(any_number);
  step.error = *any_text();
  step.reason = *any_text();
  step.unrecoverable = any_flag();
  step.reset_attempts = any_flag();
  step.state = maybe(any_state);
  step.next_page = any_flag();
  step.cursor = maybe_text();
  return step;
}

}  // namespace

Plan any_plan() {
  Plan plan{*any_text(), {}, {}};
  const int clients = *rc::gen::inRange(1, 4);
  for (int i = 0; i < clients; ++i)
    plan.clients.push_back(
        {*any_text() + std::to_string(i), static_cast<Role>(*rc::gen::inRange(0, 3))});
  const int steps = *rc::gen::inRange(0, 8);
  for (int i = 0; i < steps; ++i) plan.steps.push_back(any_step(clients));
  return plan;
}

}  // namespace assay::fakes
