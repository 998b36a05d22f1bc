// Extend and the settles: one guarded UPDATE each; where it changed nothing, the reason is looked
// up afterwards.
#include <limits>

#include "drivers/sqlite/detail/session.h"

namespace assay::lite {

struct SqliteSession::Verdict {
  bool dead = false;
  std::string reason = {};
  std::int64_t attempts = 0;  // the new counter
  std::int64_t failure = 1;   // the how-many-th one this was
};

Query& SqliteSession::held(Query& query, const Hold& hold, std::int64_t dead_by) const {
  const Profile& profile = shared_.profile;
  query.with(":id", hold.job_id)
      .with(":token", hold.token)
      .with(":dead_by", dead_by)
      .with(":unfenced",
            profile.fence == Fence::none || profile.late_settle == LateSettle::unfenced);
  if (profile.fence == Fence::token_attempt) query.with(":attempt", hold.attempt);
  return query;
}

Query& SqliteSession::settling(Query& query, std::int64_t now, const Hold& hold,
                               std::string_view kind) const {
  const bool strict = shared_.profile.late_settle == LateSettle::reject;
  return held(query, hold, strict ? dead_by(now) : std::numeric_limits<std::int64_t>::min())
      .with(":now", now)
      .with_text(":kind", kind)
      .with_text(":settle_state", "");
}

// Requires: the guarded UPDATE of this settle changed nothing.
Result<LastSettle> SqliteSession::refused_or_repeated(std::int64_t now, const Hold& hold,
                                                      std::string_view kind) {
  const Profile& profile = shared_.profile;
  const auto row = find(now, hold.job_id);
  if (!row) return not_found("there is no job '" + hold.job_id + "'");
  if (row->job.state == JobState::leased) {
    const bool strict = profile.late_settle == LateSettle::reject || kind == "extend";
    if (strict && row->expires_at_ms.value_or(now) <= dead_by(now))
      return lease_lost(LeaseReason::expired, "the lease expired");
    return lease_lost(LeaseReason::mismatch, "another claim holds the job");
  }
  const auto& last = row->last_settle;
  const bool same = last && last->kind == kind && last->token == hold.token &&
                    (profile.fence != Fence::token_attempt || last->attempt == hold.attempt);
  if (same && profile.resettle == Resettle::ok) return *last;
  if (!same && row->job.state == JobState::done && kind == "ack" &&
      profile.resettle_foreign == Resettle::ok)
    return LastSettle{};
  return lease_lost(LeaseReason::not_held,
                    "nobody holds the job: it is " + std::string(name_of(row->job.state)));
}

SqliteSession::Settled SqliteSession::settled(std::int64_t now, const Hold& hold,
                                              std::string_view kind, bool applied) {
  if (applied) return true;
  const auto repeated = refused_or_repeated(now, hold, kind);
  if (!repeated.ok()) return repeated.error();
  return false;
}

Result<Extended> SqliteSession::extend(Instant now, const Extend& request) {
  return call<Extended>(Kind::write, now, request,
                        [&](std::int64_t at) { return extend_at(at, request); });
}

Result<Extended> SqliteSession::extend_at(std::int64_t now, const Extend& request) {
  {
    Query query = ask(shared_.sql.extend);
    held(query, request.hold, dead_by(now)).with(":expires_at", plus(now, request.lease));
    if (query.next()) return Extended{instant_from_ms(query.number(0))};
  }
  const auto refused = refused_or_repeated(now, request.hold, "extend");
  CHECK(!refused.ok());
  return refused.error();
}

static Status done(const Result<bool>& settled) {
  if (!settled.ok()) return settled.error();
  return Done{};
}

SqliteSession::Settled SqliteSession::settle_at(std::int64_t now, const Ack& request) {
  Query query = ask(shared_.sql.ack);
  settling(query, now, request.hold, "ack");
  return settled(now, request.hold, "ack", query.execute() == 1);
}

SqliteSession::Settled SqliteSession::settle_at(std::int64_t now, const Retry& request) {
  Query query = ask(shared_.sql.retry);
  settling(query, now, request.hold, "retry")
      .with(":run_at", to_ms(request.run_at))
      .with(":attempts", request.attempts)
      .with(":error", request.error);
  const bool applied = query.execute() == 1;
  if (applied && shared_.bell.is_heard())
    if (const auto row = find(now, request.hold.job_id))
      arrives(now, to_ms(request.run_at), row->job.queue, row->job.id);
  return settled(now, request.hold, "retry", applied);
}

SqliteSession::Settled SqliteSession::settle_at(std::int64_t now, const Fail& request) {
  Query query = ask(shared_.sql.fail);
  settling(query, now, request.hold, "fail")
      .with(":attempts", request.attempts)
      .with(":reason", request.reason)
      .with(":error", request.error);
  return settled(now, request.hold, "fail", query.execute() == 1);
}

Status SqliteSession::ack(Instant now, const Ack& request) {
  return call<Done>(Kind::write, now, request,
                    [&](std::int64_t at) { return done(settle_at(at, request)); });
}

Status SqliteSession::retry(Instant now, const Retry& request) {
  return call<Done>(Kind::write, now, request,
                    [&](std::int64_t at) { return done(settle_at(at, request)); });
}

Status SqliteSession::fail(Instant now, const Fail& request) {
  return call<Done>(Kind::write, now, request,
                    [&](std::int64_t at) { return done(settle_at(at, request)); });
}

SqliteSession::Verdict SqliteSession::judge_failure(const Job& job, bool unrecoverable) const {
  const std::int64_t runs = runs_allowed(job.max_attempts);
  Verdict verdict{unrecoverable, unrecoverable ? "unrecoverable" : "limit reached", job.attempts,
                  job.attempts};
  switch (shared_.profile.counter) {
    case Counter::failures:
      verdict.attempts = verdict.failure = job.attempts + 1;
      verdict.dead |= verdict.attempts >= runs;
      break;
    case Counter::retries:  // the first run is not one
      verdict.failure = job.attempts + 1;
      verdict.dead |= verdict.failure >= runs;
      if (!verdict.dead) verdict.attempts = job.attempts + 1;
      break;
    case Counter::attempt_no:
      verdict.dead |= job.attempts >= runs;
      if (!verdict.dead) verdict.attempts = job.attempts + 1;
      break;
    case Counter::starts:  // raised at the claim
      verdict.dead |= job.attempts >= runs;
      break;
  }
  return verdict;
}

Result<Nacked> SqliteSession::nack(Instant now, const Nack& request) {
  return call<Nacked>(Kind::write, now, request, [&](std::int64_t at) -> Result<Nacked> {
    Nacked answer;
    const Settled settled = settle_at(at, request, answer);
    if (!settled.ok()) return settled.error();
    return answer;
  });
}

SqliteSession::Settled SqliteSession::settle_at(std::int64_t now, const Nack& request,
                                                Nacked& answer) {
  const auto row = find(now, request.hold.job_id);
  if (!row) return not_found("there is no job '" + request.hold.job_id + "'");
  const Verdict verdict = judge_failure(row->job, request.unrecoverable);
  answer = {JobState::dead, std::nullopt};
  if (!verdict.dead) {
    const std::int64_t run_at = plus(now, draw_backoff(verdict.failure));
    const bool hidden = shared_.profile.retry_view == RetryView::ready_hidden;
    answer = {run_at > now && !hidden ? JobState::scheduled : JobState::ready,
              instant_from_ms(run_at)};
  }
  {
    const auto run_at = answer.run_at ? std::optional(to_ms(*answer.run_at)) : std::nullopt;
    Query query = ask(verdict.dead ? shared_.sql.fail : shared_.sql.retry);
    settling(query, now, request.hold, "nack")
        .with_text(":settle_state", name_of(answer.state))
        .with(":settle_run_at", run_at)
        .with(":run_at", run_at)
        .with(":attempts", verdict.attempts)
        .with(":reason", verdict.reason)
        .with(":error", request.error);
    if (query.execute() == 1) {
      if (run_at) arrives(now, *run_at, row->job.queue, row->job.id);
      return true;
    }
  }
  const auto repeated = refused_or_repeated(now, request.hold, "nack");
  if (!repeated.ok()) return repeated.error();
  answer = {job_state_from(repeated->state).value_or(JobState::ready), std::nullopt};
  if (repeated->run_at_ms) answer.run_at = instant_from_ms(*repeated->run_at_ms);
  return false;
}

}  // namespace assay::lite
