#include "harness/plan/detail/forecast.h"

#include <algorithm>

namespace assay::detail {

Forecast::Forecast(const Profile& profile, int queues) : profile_(profile) {
  jobs_.reserve(16);
  claims_.reserve(static_cast<std::size_t>(16 + queues));
}

bool Forecast::is_over(std::int64_t expires) const {
  return profile_.lease_edge == LeaseEdge::dead_at_equal ? expires <= now_ : expires < now_;
}

bool Forecast::is_current(const ExpectedClaim& claim) const {
  const ExpectedJob& job = jobs_[static_cast<std::size_t>(claim.job)];
  return job.fate == Fate::leased && &claims_[static_cast<std::size_t>(job.claim)] == &claim;
}

bool Forecast::is_live(const ExpectedClaim& claim) const {
  return is_current(claim) && !is_over(claim.expires);
}

bool Forecast::is_eligible(const ExpectedJob& job) const {
  if (paused(job.queue)) return false;
  if (job.fate == Fate::waiting) return job.due <= now_;
  return job.fate == Fate::leased && is_over(claims_[static_cast<std::size_t>(job.claim)].expires);
}

static bool has_ended(Fate fate) {
  return fate == Fate::done || fate == Fate::dead || fate == Fate::cancelled;
}

bool Forecast::is_key_free(const ExpectedJob& job) const {
  return std::ranges::none_of(jobs_, [&](const ExpectedJob& other) {
    if (job.key < 0 || other.key != job.key || &other == &job) return false;
    if (profile_.idem_scope == IdemScope::queue && other.queue != job.queue) return false;
    if (profile_.idem_scope == IdemScope::type && other.type != job.type) return false;
    return profile_.idem == Idem::return_existing || !has_ended(other.fate);
  });
}

void Forecast::move_to(std::int64_t ms) { now_ = std::max(now_, ms); }

void Forecast::enqueue(ExpectedJob job) {
  if (!is_key_free(job)) return;
  wait(job, job.due);
  jobs_.push_back(std::move(job));
}

void Forecast::wait(ExpectedJob& job, std::int64_t due) {
  job.fate = Fate::waiting;
  job.due = due;
  job.since = std::max(now_, due);
  job.claim = -1;
}

std::int64_t Forecast::window_ms(std::int64_t failures) const {
  const std::int64_t doublings = std::clamp<std::int64_t>(failures - 1, 0, 20);
  return std::min(to_ms(profile_.backoff.cap), to_ms(profile_.backoff.base) << doublings);
}

// What a store does with a lease that it finds over.
void Forecast::sweep(ExpectedJob& job) {
  if (job.fate != Fate::leased || !is_eligible(job)) return;
  const std::int64_t expired = claims_[static_cast<std::size_t>(job.claim)].expires;
  const bool counts = profile_.expiry_counts == ExpiryCounts::yes;
  const bool numbered = profile_.counter == Counter::attempt_no;
  if (counts && (numbered ? ++job.failures : ++job.losses) >= job.runs) {
    job.fate = Fate::dead;
  } else if (counts && profile_.expiry_to == ExpiryTo::backoff) {
    wait(job, now_ + window_ms(job.failures));
  } else {
    wait(job, expired);
    job.since = expired;
  }
}

void Forecast::reserve(const Asked& asked) {
  for (ExpectedJob& job : jobs_)
    if ((asked.queues >> job.queue & 1U) != 0) sweep(job);
  for (int index = 0; index < asked.max; ++index) {
    ExpectedJob* best = nullptr;
    for (ExpectedJob& job : jobs_) {
      if ((asked.queues >> job.queue & 1U) == 0 || !is_eligible(job)) continue;
      if (asked.job >= 0 && &job != &jobs_[static_cast<std::size_t>(asked.job)]) continue;
      if (best && std::pair(best->priority, -best->since) >= std::pair(job.priority, -job.since))
        continue;
      best = &job;
    }
    if (!best) return;
    best->fate = Fate::leased;
    best->claim = static_cast<int>(claims_.size());
    claims_.push_back({.ref = {.slot = asked.slot, .index = index},
                       .job = static_cast<int>(best - jobs_.data()),
                       .client = asked.client,
                       .expires = now_ + asked.lease_ms});
  }
}

void Forecast::extend(int claim, std::int64_t lease_ms) {
  ExpectedClaim& held = claims_[static_cast<std::size_t>(claim)];
  if (is_live(held)) held.expires = std::max(held.expires, now_ + lease_ms);
}

void Forecast::settle(int claim, Ending ending, std::int64_t delay_ms) {
  ExpectedClaim& held = claims_[static_cast<std::size_t>(claim)];
  if (!is_current(held)) return;
  if (is_over(held.expires) && profile_.late_settle == LateSettle::reject) return;
  held.ending = ending;
  ExpectedJob& job = jobs_[static_cast<std::size_t>(held.job)];
  if (ending == Ending::ack) {
    job.fate = Fate::done;
    return;
  }
  ++job.failures;
  const bool used_up = profile_.decider == Decider::store && job.failures >= job.runs;
  if (ending == Ending::dead || used_up)
    job.fate = Fate::dead;
  else
    wait(job, now_ + delay_ms);
}

void Forecast::cancel(int job) {
  ExpectedJob& meant = jobs_[static_cast<std::size_t>(job)];
  if (!has_ended(meant.fate)) meant.fate = Fate::cancelled;
}

void Forecast::requeue(int job, const JobRef& made, std::int64_t delay_ms) {
  ExpectedJob& dead = jobs_[static_cast<std::size_t>(job)];
  if (dead.fate != Fate::dead || dead.replayed) return;
  if (profile_.idem == Idem::reject_active && !is_key_free(dead)) return;
  if (profile_.replay == Replay::same_job) {
    dead.losses = 0;
    return wait(dead, now_ + delay_ms);
  }
  dead.replayed = true;
  ExpectedJob fresh = dead;
  fresh.ref = made;
  fresh.failures = fresh.losses = 0;
  fresh.replayed = false;
  wait(fresh, now_ + delay_ms);
  jobs_.push_back(std::move(fresh));
}

}  // namespace assay::detail
