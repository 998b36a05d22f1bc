#include "harness/judge/reading.h"

#include <algorithm>

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
  return std::ranges::find(job.claims, token, &ClaimFact::token) != job.claims.end();
}

HoldUse standing_of(const Facts& facts, const JobFacts& job, const Hold& hold, Change kind,
                    Instant now, bool accepted) {
  HoldUse use{job, hold, kind, Standing::forged, false};
  bool own = !job.claims.empty() && (job.lease().lost ? accepted && !facts.minted(hold.token)
                                                      : job.lease().token == hold.token);
  bool attempt_fits = facts.profile().fence != Fence::token_attempt || (own && job.lease().lost) ||
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
    case Phase::done:
      return bit(JobState::done);
    case Phase::dead:
      return bit(JobState::dead);
    case Phase::cancelled:
      return bit(JobState::cancelled);
    case Phase::waiting:
      return allowed_waiting(facts, job, now);
    case Phase::leased:
      break;
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

static bool negative(const std::optional<std::int64_t>& number) { return number && *number < 0; }

static bool malformed(const NewJob& job) {
  bool over_limit = job.attempts && job.max_attempts && *job.max_attempts > 0 &&
                    *job.attempts > *job.max_attempts;
  return job.queue.empty() || job.type.empty() || (job.id && job.id->empty()) ||
         (job.timeout && job.timeout->count() < 0) || negative(job.max_attempts) ||
         negative(job.attempts) || over_limit;
}

static bool malformed(const Reserve& request) {
  bool unnamed = request.queues.empty();
  for (const std::string& queue : request.queues) unnamed = unnamed || queue.empty();
  return unnamed || request.lease.count() <= 0 || request.max < 1;
}

bool is_malformed(const Request& request) {
  if (const auto* r = std::get_if<Enqueue>(&request)) return malformed(r->job);
  if (const auto* r = std::get_if<Reserve>(&request)) return malformed(*r);
  if (const auto* r = std::get_if<Extend>(&request)) return r->lease.count() <= 0;
  if (const auto* r = std::get_if<Retry>(&request)) return r->attempts < 0;
  if (const auto* r = std::get_if<Fail>(&request)) return r->attempts < 0;
  if (const auto* r = std::get_if<List>(&request)) return r->limit <= 0 || r->queue.empty();
  if (const auto* r = std::get_if<Dead>(&request)) return r->limit <= 0 || r->queue.empty();
  if (const auto* r = std::get_if<Pause>(&request)) return r->queue.empty();
  if (const auto* r = std::get_if<Resume>(&request)) return r->queue.empty();
  return false;
}

static bool claims_enqueue(const Profile& profile, const NewJob& job, Instant now) {
  if (job.run_at && *job.run_at > now && !profile.has("schedule_at_enqueue")) return false;
  return !job.key || !job.key->empty();
}

static bool claims_reserve(const Profile& profile, const Reserve& request) {
  bool several = false;
  for (const std::string& queue : request.queues) several |= queue != request.queues.front();
  if (several && !profile.has("queue_set_claim")) return false;
  return request.job_id.has_value() == (profile.claim_style == ClaimStyle::by_id);
}

bool is_claimed(const Profile& profile, const Request& request, Instant now) {
  struct Claimed {
    const Profile& profile;
    Instant now;
    bool operator()(const Enqueue& r) { return claims_enqueue(profile, r.job, now); }
    bool operator()(const Reserve& r) { return claims_reserve(profile, r); }
    bool operator()(const Extend&) { return true; }
    bool operator()(const Ack&) { return true; }
    bool operator()(const Retry&) { return profile.decider == Decider::engine; }
    bool operator()(const Fail&) { return profile.decider == Decider::engine; }
    bool operator()(const Nack&) { return profile.decider == Decider::store; }
    bool operator()(const Cancel&) { return profile.has("cancel"); }
    bool operator()(const Pause&) { return profile.has("pause"); }
    bool operator()(const Resume&) { return profile.has("pause"); }
    bool operator()(const Get&) { return profile.has("inspect"); }
    bool operator()(const List&) { return profile.has("list_paged"); }
    bool operator()(const Dead&) { return profile.has("dlq_ops"); }
    bool operator()(const Requeue&) {
      return profile.has("dlq_ops") && profile.replay != Replay::none;
    }
    bool operator()(const Close&) { return true; }
  };
  return std::visit(Claimed{profile, now}, request);
}

static const JobFacts* named_and_missed(const Facts& facts, const Reserve& request, Instant now) {
  const JobFacts* job = facts.find(*request.job_id);
  if (!job || !facts.surely_runnable(*job, now)) return nullptr;
  const QueueFacts& queue = facts.queue_of(*job);
  bool asked = std::find(request.queues.begin(), request.queues.end(), job->given.queue) !=
               request.queues.end();
  const bool sure = !queue.paused && !queue.unsure && !queue.perhaps_claimed;
  return asked && sure ? job : nullptr;
}

const JobFacts* missed_by(const Facts& facts, const CallEvent& call, const ReturnEvent& end,
                          Instant now) {
  const auto* request = std::get_if<Reserve>(&call.request);
  if (!request || end.outcome == OutcomeKind::unknown) return nullptr;
  const auto* answer = std::get_if<Claims>(&end.response);
  if (end.outcome == OutcomeKind::ok && answer && !answer->claims.empty()) return nullptr;
  if (request->job_id) return named_and_missed(facts, *request, now);
  return facts.surely_runnable(request->queues, now);
}

}  // namespace assay
