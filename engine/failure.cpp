#include "engine/failure.h"

#include <algorithm>

namespace assay::engine {

std::int64_t run_number(const Profile& profile, const Claim& claim) {
  const bool counts_this_run =
      profile.counter == Counter::attempt_no || profile.counter == Counter::starts;
  return std::max<std::int64_t>(1, claim.job.attempts + (counts_this_run ? 0 : 1));
}

Hold hold_of(const Claim& claim) { return {claim.job.id, claim.token, claim.attempt}; }

// At the failure that ends the job a counter of failures shows all of them; one of attempts or
// retries does not grow, since there is no next one.
static std::int64_t counter_after(const Profile& profile, const Claim& claim, bool dies) {
  switch (profile.counter) {
    case Counter::failures:
      return claim.job.attempts + 1;
    case Counter::starts:
      return claim.job.attempts;
    case Counter::attempt_no:
    case Counter::retries:
      break;
  }
  return claim.job.attempts + (dies ? 0 : 1);
}

FailureSettle after_failure(const Profile& profile, const RetryPolicy& policy, const Claim& claim,
                            const Failure& failure, Instant now, Random& random) {
  const Hold hold = hold_of(claim);
  if (profile.decider == Decider::store) return Nack{hold, failure.error, failure.unrecoverable};
  const std::int64_t number = run_number(profile, claim);
  const bool is_last = number >= runs_of(policy, profile, claim.job);
  if (failure.unrecoverable || is_last)
    return Fail{hold, counter_after(profile, claim, true),
                failure.unrecoverable ? "unrecoverable" : "limit reached", failure.error};
  return Retry{hold, later(now, delay_after(policy, number, random)),
               counter_after(profile, claim, false), failure.error};
}

std::optional<Retry> put_back(const Profile& profile, const Claim& claim, Instant run_at) {
  if (profile.decider == Decider::store) return std::nullopt;
  // The claim itself counted where starts are.
  const std::int64_t counted = profile.counter == Counter::starts ? 1 : 0;
  return Retry{hold_of(claim), run_at, std::max<std::int64_t>(0, claim.job.attempts - counted),
               claim.job.last_error.value_or("")};
}

Instant later(Instant from, Duration by) {
  return by > end_of_time - from ? end_of_time : from + by;
}

}  // namespace assay::engine
