#include "harness/judge/reading.h"

namespace assay {

const Hold* hold_of(const Request& request, Change& kind) {
  if (const auto* r = std::get_if<Extend>(&request)) return kind = Change::extend, &r->hold;
  if (const auto* r = std::get_if<Ack>(&request)) return kind = Change::ack, &r->hold;
  if (const auto* r = std::get_if<Retry>(&request)) return kind = Change::retry, &r->hold;
  if (const auto* r = std::get_if<Fail>(&request)) return kind = Change::fail, &r->hold;
  if (const auto* r = std::get_if<Nack>(&request)) return kind = Change::nack, &r->hold;
  return nullptr;
}

static bool was_claimed_with(const JobFacts& job, const Token& token) {
  for (const ClaimFact& claim : job.claims)
    if (claim.token == token) return true;
  return false;
}

HoldUse standing_of(const Facts& facts, const JobFacts& job, const Hold& hold, Change kind,
                    Instant now) {
  HoldUse use{job, hold, kind, Standing::forged, false};
  bool own = !job.claims.empty() && job.lease().token == hold.token;
  bool attempt_fits = facts.profile().fence != Fence::token_attempt ||
                      (own && hold.attempt && hold.attempt == job.lease().attempt);
  if (own && job.phase == Phase::leased) {
    if (attempt_fits)
      use.standing = facts.lapsed(job, now) ? Standing::lapsed : Standing::current;
    else
      use.standing = Standing::stale, use.wrong_attempt = true;
  } else if (own && job.settled && job.settled->kind == kind && attempt_fits) {
    use.standing = Standing::repeat;
  } else if (was_claimed_with(job, hold.token)) {
    use.standing = Standing::stale;
  } else if (facts.minted(hold.token)) {
    use.standing = Standing::foreign;
  }
  return use;
}

static constexpr unsigned bit(JobState state) { return 1U << static_cast<unsigned>(state); }

static unsigned allowed_waiting(const Facts& facts, const JobFacts& job, Instant now) {
  unsigned states = 0;
  if (job.not_before > now || job.surely_from > now) states |= bit(JobState::scheduled);
  if (job.not_before <= now) states |= bit(JobState::ready);
  bool hidden = facts.profile().retry_view == RetryView::ready_hidden &&
                (job.cause == Cause::failure || job.cause == Cause::expiry);
  if (hidden) states |= bit(JobState::ready);
  return states;
}

unsigned allowed_states(const Facts& facts, const JobFacts& job, Instant now) {
  switch (job.phase) {
    case Phase::done: return bit(JobState::done);
    case Phase::dead: return bit(JobState::dead);
    case Phase::cancelled: return bit(JobState::cancelled);
    case Phase::waiting: return allowed_waiting(facts, job, now);
    case Phase::leased: break;
  }
  // A lease that ran out may still be shown, or already as what became of it.
  unsigned states = bit(JobState::leased);
  if (!facts.lapsed(job, now)) return states;
  if (facts.perhaps_exhausted(job)) states |= bit(JobState::dead);
  if (facts.surely_exhausted(job)) return states;
  states |= bit(JobState::ready);
  if (facts.profile().expiry_to == ExpiryTo::backoff) states |= bit(JobState::scheduled);
  return states;
}

}  // namespace assay
