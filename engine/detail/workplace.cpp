#include "engine/detail/workplace.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::engine::detail {

void Workplace::work() {
  while (const auto run = intake_.next(slot_))
    if (!carry_out(*run)) return;
  floor_.slot(slot_).line.hang_up();
  const Held held(*floor_.monitor);
  floor_.slot(slot_).has_ended = true;
  floor_.monitor->notify_all();
}

static HandlerResult result_of(const Handler& handler, Context& context) {
  try {
    return handler(context);
  } catch (const Unrecoverable& error) {
    return Failure{error.what(), true};
  } catch (const std::exception& error) {
    return Failure{error.what()};
  } catch (...) {
    return Failure{"the handler threw something that is no exception"};
  }
}

bool Workplace::carry_out(Run& run) {
  Held held(*floor_.monitor);
  if (const auto why = hindrance(run)) {
    do_not_run(held, run, *why);
    floor_.forget(run);
    return true;
  }
  const HandlerSpec& spec = floor_.options.handlers.at(run.claim.job.type);
  begin(run, spec);
  held.unlock();
  Context context(run.claim.job, run.number, floor_.clock, run.stop.get_token(), run.why);
  const HandlerResult result = result_of(spec.run, context);
  held.lock();
  Slot& slot = floor_.slot(slot_);
  if (slot.is_left) return false;
  slot.in_handler = false;
  floor_.limits.ends(run.claim.job.type);
  run.stage = Stage::settling;
  const auto* failure = std::get_if<Failure>(&result);
  floor_.tell(run, HandlerEnded{!failure, failure ? *failure : Failure{}});
  floor_.monitor->notify_all();
  settle(held, run, result);
  floor_.forget(run);
  return true;
}

// Decided under the lock, and so are the lease's end and the handler's beginning: none begins on a
// lease that was known to be over.
std::optional<Hindrance> Workplace::hindrance(Run& run) {
  if (!floor_.options.handlers.contains(run.claim.job.type)) return Hindrance::unknown_type;
  for (bool is_told = false;;) {
    const Instant now = floor_.now();
    if (run.is_lost || now >= run.expires_at) return Hindrance::lease_over;
    if (floor_.is_interrupting) return Hindrance::worker_ends;
    const Limits::Answer limit = floor_.limits.ask(run.claim.job.type, now);
    if (!limit.hindrance || floor_.profile.decider == Decider::engine) return limit.hindrance;
    // No call puts the job back, so it waits here, and its lease is kept.
    if (!std::exchange(is_told, true)) floor_.tell(run, NotDispatched{*limit.hindrance});
    floor_.monitor->wait_until(limit.again_at);
  }
}

void Workplace::do_not_run(Held& held, Run& run, Hindrance why) {
  const Instant now = floor_.now();
  const std::string& type = run.claim.job.type;
  run.stage = Stage::settling;
  floor_.tell(run, NotDispatched{why});
  switch (why) {
    case Hindrance::unknown_type:
      return settle_failure(held, run, {"no handler for the type " + type, true});
    case Hindrance::lease_over:
      return floor_.tell(run, LeftToLapse{"its lease was over before its handler began"});
    case Hindrance::worker_ends:
      return put_back(held, run, SettleKind::release, now);
    case Hindrance::rate_limited:
      return put_back(held, run, SettleKind::defer, floor_.limits.promise(type));
    case Hindrance::no_capacity:
      break;
  }
  const auto defer = static_cast<std::uint64_t>(floor_.options.defer.count());
  const Duration jitter{static_cast<std::int64_t>(floor_.random.below(defer + 1))};
  put_back(held, run, SettleKind::defer, later(now, floor_.options.defer + jitter));
}

void Workplace::begin(Run& run, const HandlerSpec& spec) {
  floor_.limits.begins(run.claim.job.type);
  const auto own = run.claim.job.timeout;
  const auto timeout = own && *own > Duration{0} ? own : spec.timeout;
  if (timeout) run.time_limit = later(floor_.now(), *timeout);
  run.stage = Stage::running;
  floor_.slot(slot_).in_handler = true;
  floor_.tell(run, HandlerBegan{});
  floor_.monitor->notify_all();
}

void Workplace::settle(Held& held, Run& run, const HandlerResult& result) {
  if (run.is_lost) return floor_.tell(run, LeftToLapse{"its lease was lost"});
  const auto* failure = std::get_if<Failure>(&result);
  if (run.why == Interruption::timed_out)
    return settle_failure(held, run, {failure ? "timed out: " + failure->error : "timed out"});
  if (!failure)
    return settler_.settle(held, floor_.slot(slot_).line, run, SettleKind::ack,
                           Ack{hold_of(run.claim)});
  if (run.why == Interruption::shutdown)
    return put_back(held, run, SettleKind::release, floor_.now());
  settle_failure(held, run, *failure);
}

namespace {

struct Kind {
  SettleKind operator()(const Retry&) const { return SettleKind::retry; }
  SettleKind operator()(const Fail&) const { return SettleKind::fail; }
  SettleKind operator()(const Nack&) const { return SettleKind::nack; }
};

}  // namespace

void Workplace::settle_failure(Held& held, Run& run, const Failure& failure) {
  const auto spec = floor_.options.handlers.find(run.claim.job.type);
  const bool has_own = spec != floor_.options.handlers.end() && spec->second.policy;
  const RetryPolicy& policy = has_own ? *spec->second.policy : *floor_.options.policy;
  const FailureSettle chosen =
      after_failure(floor_.profile, policy, run.claim, failure, floor_.now(), floor_.random);
  const Settle settle = std::visit([](const auto& one) { return Settle(one); }, chosen);
  settler_.settle(held, floor_.slot(slot_).line, run, std::visit(Kind{}, chosen), settle);
}

void Workplace::put_back(Held& held, Run& run, SettleKind kind, Instant run_at) {
  const auto retry = engine::put_back(floor_.profile, run.claim, run_at);
  // A nack would be a failure that did not happen.
  if (!retry) return floor_.tell(run, LeftToLapse{"no call gives a lease back here"});
  settler_.settle(held, floor_.slot(slot_).line, run, kind, *retry);
}

}  // namespace assay::engine::detail
