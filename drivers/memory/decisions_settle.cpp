// The answers about extensions, settles, failures and replays.
#include <algorithm>

#include "drivers/memory/decisions.h"

namespace assay::memory_queue {

bool Decisions::accepts_late(SettleKind) const {
  return profile_.late_settle != LateSettle::reject;
}

bool Decisions::may_settle(const Record& record, SettleKind) const {
  return record.stage == Stage::leased;
}

bool Decisions::matches(const Record& record, const Hold& hold, SettleKind) const {
  return profile_.late_settle == LateSettle::unfenced || carries_the_fence(record, hold);
}

bool Decisions::matches_for_extension(const Record& record, const Hold& hold) const {
  return carries_the_fence(record, hold);
}

bool Decisions::carries_the_fence(const Record& record, const Hold& hold) const {
  if (profile_.fence == Fence::none) return true;
  if (profile_.fence == Fence::token_attempt && hold.attempt != record.lease->attempt) return false;
  return hold.token == record.lease->token;
}

bool Decisions::is_held(const Record& record) const { return record.stage == Stage::leased; }

bool Decisions::may_extend(const Record& record, Instant now) const {
  return !lease_is_over(record, now);
}

Instant Decisions::extended_expiry(const Record& record, Instant now, Duration lease) const {
  return std::max(record.lease->expires_at, later(now, lease));
}

bool Decisions::repeats(const Record& record, const Hold& hold, SettleKind kind) const {
  const auto& last = record.settled;
  const bool same = last && last->kind == kind && last->token == hold.token &&
                    (profile_.fence != Fence::token_attempt || hold.attempt == last->attempt);
  if (same) return profile_.resettle == Resettle::ok;
  return record.stage == Stage::done && kind == SettleKind::ack &&
         profile_.resettle_foreign == Resettle::ok;
}

void Decisions::on_refusal(Record&) const {}

Outcome Decisions::on_ack(const Record& record, const Ack&) const {
  Outcome after = outcome_without_change(record);
  after.stage = Stage::done;
  return after;
}

Outcome Decisions::on_retry(const Record& record, const Retry& request, Instant) const {
  Outcome after = outcome_without_change(record);
  after.stage = Stage::waiting;
  after.run_at = request.run_at;
  after.attempts = request.attempts;
  after.last_error = request.error;
  return after;
}

Outcome Decisions::on_fail(const Record& record, const Fail& request, Instant now) const {
  Outcome after = outcome_without_change(record);
  after.stage = Stage::dead;
  after.attempts = request.attempts;
  after.last_error = request.error;
  after.dead = DeadView{request.reason, request.error, now};
  return after;
}

Outcome Decisions::on_nack(const Record& record, const Nack& request, Instant now,
                           Random& jitter) const {
  Outcome after = outcome_without_change(record);
  const bool dies = request.unrecoverable || budget_is_used(record);
  after.last_error = request.error;
  after.attempts = attempts_after_failure(record, dies);
  if (dies) {
    after.stage = Stage::dead;
    after.dead =
        DeadView{request.unrecoverable ? "unrecoverable" : "limit reached", request.error, now};
  } else {
    after.stage = Stage::waiting;
    after.run_at = later(now, backoff(number_of_failure(record), jitter));
  }
  return after;
}

bool Decisions::keeps_lease(Stage) const { return false; }

std::int64_t Decisions::runs_allowed(const Record& record) const {
  const std::int64_t given = record.job.max_attempts.value_or(0);
  const std::int64_t limit = given > 0 ? given : profile_.default_limit;
  if (limit == INT64_MAX) return limit;
  return std::max<std::int64_t>(1, limit + (profile_.limit_unit == LimitUnit::retries ? 1 : 0));
}

std::int64_t Decisions::number_of_failure(const Record& record) const {
  const bool counts_this_run =
      profile_.counter == Counter::attempt_no || profile_.counter == Counter::starts;
  return record.job.attempts + (counts_this_run ? 0 : 1);
}

bool Decisions::budget_is_used(const Record& record) const {
  return number_of_failure(record) >= runs_allowed(record);
}

std::int64_t Decisions::attempts_after_failure(const Record& record, bool dies) const {
  switch (profile_.counter) {
    case Counter::failures:
      return record.job.attempts + 1;
    case Counter::starts:
      return record.job.attempts;
    case Counter::attempt_no:  // a dead job has no next attempt, and uses no further retry
    case Counter::retries:
      break;
  }
  return record.job.attempts + (dies ? 0 : 1);
}

Duration Decisions::backoff_window(std::int64_t failure) const {
  Duration window = profile_.backoff.base;
  for (std::int64_t n = 1; n < failure && window < profile_.backoff.cap; ++n) window *= 2;
  return std::min(window, profile_.backoff.cap);
}

Duration Decisions::backoff(std::int64_t failure, Random& jitter) const {
  const auto window = static_cast<std::uint64_t>(backoff_window(failure).count());
  return Duration{static_cast<std::int64_t>(jitter.below(window + 1))};
}

bool Decisions::may_cancel(const Record& record) const {
  return record.stage == Stage::waiting || record.stage == Stage::leased;
}

bool Decisions::may_replay(const Record& record) const { return record.stage == Stage::dead; }

bool Decisions::key_is_free_for_replay(const Record& dead, const Record* holder) const {
  return holder == nullptr || holder == &dead;
}

Outcome Decisions::on_replay(const Record& record, const Requeue& request, Instant now) const {
  Outcome after = outcome_without_change(record);
  after.stage = Stage::waiting;
  after.run_at = request.run_at.value_or(now);
  after.dead.reset();
  if (request.reset_attempts) {
    after.attempts = profile_.counter == Counter::attempt_no ? 1 : 0;
    after.lease_losses = 0;
  }
  return after;
}

NewJob Decisions::fresh_copy(const Record& record, const Requeue& request, Instant) const {
  NewJob copy;
  copy.queue = record.job.queue;
  copy.type = record.job.type;
  copy.payload = record.job.payload;
  copy.run_at = request.run_at;
  copy.max_attempts = record.job.max_attempts;
  copy.timeout = record.job.timeout;
  copy.key = record.job.key;
  copy.priority = record.job.priority;
  return copy;
}

bool Decisions::replay_takes_the_record() const { return true; }
bool Decisions::replay_takes_the_key() const { return true; }

void Decisions::on_refused_replay(Record&) const {}

}  // namespace assay::memory_queue
