#include "engine/retry_policy.h"

#include <algorithm>

namespace assay::engine {

RetryPolicy policy_of(const Profile& profile) {
  RetryPolicy policy;
  policy.base = profile.backoff.base;
  policy.cap = std::max(profile.backoff.cap, profile.backoff.base);
  policy.runs = runs_allowed(profile, std::nullopt);
  return policy;
}

Duration window_of(const RetryPolicy& policy, std::int64_t failure) {
  Duration window = std::min(policy.base, policy.cap);
  // Half of the cap is compared, so that doubling never overflows.
  for (std::int64_t n = 1; n < failure && window > Duration{0}; ++n) {
    if (window > policy.cap / 2) return policy.cap;
    window *= 2;
  }
  return window;
}

// Uniform between the two, both included.
static Duration between(Duration low, Duration high, Random& random) {
  const auto width = static_cast<std::uint64_t>((high - low).count());
  return low + Duration{static_cast<std::int64_t>(random.below(width + 1))};
}

static Duration more_or_less(const RetryPolicy& policy, Duration middle, Random& random) {
  const Duration jitter =
      middle / 100 * policy.jitter_percent + middle % 100 * policy.jitter_percent / 100;
  const Duration high = jitter > policy.cap - middle ? policy.cap : middle + jitter;
  return between(middle - jitter, high, random);
}

Duration delay_after(const RetryPolicy& policy, std::int64_t failure, Random& random) {
  switch (policy.backoff) {
    case Backoff::full_jitter:
      return between(Duration{0}, window_of(policy, failure), random);
    case Backoff::exponential:
      return more_or_less(policy, window_of(policy, failure), random);
    case Backoff::fixed:
      break;
  }
  return more_or_less(policy, std::min(policy.base, policy.cap), random);
}

std::int64_t runs_of(const RetryPolicy& policy, const Profile& profile, const Job& job) {
  const std::int64_t given = job.max_attempts.value_or(0);
  std::int64_t runs = policy.runs;
  if (given == INT64_MAX)
    runs = given;
  else if (given > 0)
    runs = runs_allowed(profile, given);
  return std::max<std::int64_t>(1, std::min(runs, policy.most_runs.value_or(runs)));
}

std::optional<Error> objection_to(const RetryPolicy& policy) {
  if (policy.base < Duration{0}) return invalid("the base of the backoff is negative");
  if (policy.cap < policy.base) return invalid("the cap of the backoff is below its base");
  if (policy.jitter_percent < 0 || policy.jitter_percent > 100)
    return invalid("the jitter of the backoff is not between 0 and 100 percent");
  if (policy.runs < 1 || policy.most_runs.value_or(1) < 1)
    return invalid("the policy allows no run at all");
  return std::nullopt;
}

}  // namespace assay::engine
