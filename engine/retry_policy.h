// RetryPolicy: how long a job waits after a failure, and how many runs it has.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/contract/job.h"
#include "harness/contract/profile.h"
#include "harness/contract/random.h"

namespace assay::engine {

enum class Backoff {
  full_jitter,  // anything between nothing and the window of the n-th failure
  exponential,  // the window itself, more or less by the jitter
  fixed,        // the base itself, more or less by the jitter
};

struct RetryPolicy {
  Backoff backoff = Backoff::full_jitter;
  Duration base{500};
  Duration cap{30'000};                        // no delay is longer
  int jitter_percent = 20;                     // not of full jitter, which has its own
  std::int64_t runs = 4;                       // of a job that brings no limit, counting the first
  std::optional<std::int64_t> most_runs = {};  // whatever a job asks for

  bool operator==(const RetryPolicy&) const = default;
};

// The profile's delays, and the runs that its default limit allows.
RetryPolicy policy_of(const Profile& profile);

// min(cap, base * 2^(n-1)). Requires: n is 1 or more, as everywhere below.
Duration window_of(const RetryPolicy& policy, std::int64_t failure);

// How long the job waits after its n-th failure: never negative, never above the cap.
Duration delay_after(const RetryPolicy& policy, std::int64_t failure, Random& random);

// The runs that the job has, counting the first: its own limit where it has one, in the profile's
// unit, else the policy's; never above what the policy allows, never none.
std::int64_t runs_of(const RetryPolicy& policy, const Profile& profile, const Job& job);

// Why it cannot be lived by: a negative base, a cap below it, no run at all.
std::optional<Error> objection_to(const RetryPolicy& policy);

}  // namespace assay::engine
