#include "engine/detail/workplace.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/detail/run_inputs.h"
#include "engine/detail/steward.h"
#include "harness/contract/records.h"

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
  const HandlerSpec* spec = spec_of(run);
  begin(run, spec);
  held.unlock();
  Desk desk(floor_, run);
  RunEffects effects(desk);
  const HandlerResult result = handle(run, spec, effects, desk);
  held.lock();
  Slot& slot = floor_.slot(slot_);
  if (slot.is_left) return false;
  slot.in_handler = false;
  if (spec) floor_.limits.ends(run.claim.job.type);
  run.stage = Stage::settling;
  const auto* failure = std::get_if<Failure>(&result);
  floor_.tell(run, HandlerEnded{!failure, failure ? *failure : Failure{}});
  floor_.monitor->notify_all();
  settle(held, run, result, effects);
  floor_.forget(run);
  return true;
}

// Null: it is an errand of a flow, which the engine runs itself.
const HandlerSpec* Workplace::spec_of(const Run& run) const {
  const auto found = floor_.options.handlers.find(run.claim.job.type);
  return found == floor_.options.handlers.end() ? nullptr : &found->second;
}

// A result outside of a flow is an output like others.
HandlerResult Workplace::handle(Run& run, const HandlerSpec* spec, RunEffects& effects,
                                Desk& desk) {
  if (!spec) return run_errand(desk);
  RunInputs inputs(desk);
  Context context(run.claim.job, run.number, floor_.clock, run.stop.get_token(), run.why, &effects,
                  &inputs);
  HandlerResult result = result_of(spec->run, context);
  const auto* success = std::get_if<Success>(&result);
  if (!success || !success->result) return result;
  if (success->result->size() > most_result_bytes)
    return Failure{fmt::format("the result has {} bytes, {} are allowed", success->result->size(),
                               most_result_bytes)};
  if (!member_of(run.claim.job))
    static_cast<void>(effects.put("result", *success->result));  // a refusal is looked at later
  return result;
}

// Decided under the lock, and so are the lease's end and the handler's beginning: none begins on a
// lease that was known to be over.
std::optional<Hindrance> Workplace::hindrance(Run& run) {
  const bool is_errand = run.claim.job.type == steward_type;
  if (!spec_of(run) && !is_errand) return Hindrance::unknown_type;
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

void Workplace::begin(Run& run, const HandlerSpec* spec) {
  if (spec) floor_.limits.begins(run.claim.job.type);
  const auto own = run.claim.job.timeout;
  const auto usual = spec ? spec->timeout : std::nullopt;
  const auto timeout = own && *own > Duration{0} ? own : usual;
  if (timeout) run.time_limit = later(floor_.now(), *timeout);
  run.stage = Stage::running;
  floor_.slot(slot_).in_handler = true;
  floor_.tell(run, HandlerBegan{});
  floor_.monitor->notify_all();
}

static std::optional<std::string> objection_to(const std::vector<OutgoingEvent>& events) {
  if (events.size() > 100) return "more than 100 events are sent";
  std::set<std::string> targets;
  for (const OutgoingEvent& event : events) {
    if (event.target.empty()) return "an event has no target";
    if (!targets.insert(event.target).second) return "two events go to " + event.target;
    // A row is a record, and has some words beside it.
    if (event.body.size() + event.target.size() > most_value_bytes - 4096)
      return "an event is too large";
  }
  return std::nullopt;
}

void Workplace::settle(Held& held, Run& run, const HandlerResult& result, RunEffects& effects) {
  if (run.is_lost) return floor_.tell(run, LeftToLapse{"its lease was lost"});
  const auto* failure = std::get_if<Failure>(&result);
  if (run.why == Interruption::timed_out)
    return settle_failure(held, run, {failure ? "timed out: " + failure->error : "timed out"});
  if (!failure) {
    run.events = std::get<Success>(result).events;
    if (const auto objection = objection_to(run.events))
      return settle_failure(held, run, {*objection, true});
  }
  if (!failure) return settle_success(held, run, std::get<Success>(result), effects);
  if (run.why == Interruption::shutdown)
    return put_back(held, run, SettleKind::release, floor_.now());
  settle_failure(held, run, *failure);
}

// Outputs, the end of a flow's member and what follows from it are one commit with the ack.
void Workplace::settle_success(Held& held, Run& run, const Success& success, RunEffects& effects) {
  Line& line = floor_.slot(slot_).line;
  const Ack ack{hold_of(run.claim)};
  if (effects.refusal()) return settle_failure(held, run, {effects.refusal()->message, true});
  const auto member = member_of(run.claim.job);
  const bool is_member = member && member->errand.empty();
  if (!is_member && !effects.has_staged()) {
    static_cast<void>(settler_.settle(held, line, run, SettleKind::ack, ack));
    return;
  }
  std::vector<Happening> told;
  bool must_catch_up = false;
  const Closing closing{[&](Session& session) -> Status {
    const auto records = records_of(session);
    if (!records.ok()) return records.error();
    told.clear();
    const auto add = [&](Records& of, Commit& commit) {
      for (const OutboxRow& row : rows_of_events(run)) commit.puts.push_back(put_of(row));
      return effects.add_to(of, commit);
    };
    FlowMoves moves(**records, floor_.clock, told);
    const auto done =
        is_member
            ? moves.record({*member, run.claim.job.id, Outcome::succeeded, success.result, ""}, ack,
                           add)
            : moves.commit(ack, add);
    must_catch_up = moves.must_catch_up();
    effects.see(done);
    if (!done.ok()) return done.error();
    return Done{};
  }};
  const Status settled = settler_.settle(held, line, run, SettleKind::ack, closing);
  effects.tell(told);
  for (Happening& what : told) floor_.tell(run, std::move(what));
  if (settled.ok())
    for (const OutboxRow& row : rows_of_events(run)) floor_.tell(run, RowWritten{row_id(row)});
  if (settled.ok() && must_catch_up)
    move_on(held, run, [&](Session&, FlowMoves& moves) { return moves.catch_up(member->flow); });
}

// Best effort: a sweep does the same.
void Workplace::move_on(Held& held, Run& run, const Move& move) {
  std::vector<Happening> told;
  held.unlock();
  static_cast<void>(floor_.slot(slot_).line.call([&](Session& session) -> Status {
    const auto records = records_of(session);
    if (!records.ok()) return records.error();
    FlowMoves moves(**records, floor_.clock, told);
    return move(session, moves);
  }));
  held.lock();
  for (Happening& what : told) floor_.tell(run, std::move(what));
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
  const auto member = member_of(run.claim.job);
  if (member && member->errand.empty())
    return settle_member_failure(held, run, *member, failure, chosen);
  const Settle settle = std::visit([](const auto& one) { return Settle(one); }, chosen);
  static_cast<void>(
      settler_.settle(held, floor_.slot(slot_).line, run, std::visit(Kind{}, chosen), settle));
}

// Its death is recorded in one commit with the settle that it dies of; where the store decides
// that, right afterwards.
void Workplace::settle_member_failure(Held& held, Run& run, const MemberName& member,
                                      const Failure& failure, const FailureSettle& chosen) {
  Line& line = floor_.slot(slot_).line;
  const SettleKind kind = std::visit(Kind{}, chosen);
  const MemberEnd end{member, run.claim.job.id, Outcome::dead, {}, failure.error};
  std::vector<Happening> told;
  Settle settle = std::visit([](const auto& one) { return Settle(one); }, chosen);
  if (const auto* fail = std::get_if<Fail>(&chosen))
    settle = Closing{[&, fail](Session& session) -> Status {
      const auto records = records_of(session);
      if (!records.ok()) return records.error();
      told.clear();
      const auto done = FlowMoves(**records, floor_.clock, told).record(end, *fail);
      if (!done.ok()) return done.error();
      return Done{};
    }};
  const Status settled = settler_.settle(held, line, run, kind, settle);
  for (Happening& what : told) floor_.tell(run, std::move(what));
  if (!settled.ok() || kind != SettleKind::nack) return;
  move_on(held, run, [&](Session& session, FlowMoves& moves) -> Status {
    const auto seen = session.get(floor_.now(), {run.claim.job.id});
    if (!seen.ok()) return seen.error();
    if (seen->job.state != JobState::dead) return Done{};
    const auto recorded = moves.record(end, std::monostate{});
    if (!recorded.ok()) return recorded.error();
    return Done{};
  });
}

void Workplace::put_back(Held& held, Run& run, SettleKind kind, Instant run_at) {
  const auto retry = engine::put_back(floor_.profile, run.claim, run_at);
  // A nack would be a failure that did not happen.
  if (!retry) return floor_.tell(run, LeftToLapse{"no call gives a lease back here"});
  static_cast<void>(settler_.settle(held, floor_.slot(slot_).line, run, kind, *retry));
}

}  // namespace assay::engine::detail
