// What a failure leads to: exactly one of a later retry and the end, by the profile and the policy.
#pragma once

#include <variant>

#include "engine/retry_policy.h"
#include "harness/contract/operation.h"

namespace assay::engine {

struct Failure {
  std::string error = {};
  bool unrecoverable = false;  // no further run, whatever the budget

  bool operator==(const Failure&) const = default;
};

// Which run of its job the claim is, counting from 1, by what the profile's counter counts.
std::int64_t run_number(const Profile& profile, const Claim& claim);

// What carries the claim's fence.
Hold hold_of(const Claim& claim);

// The settle that records it. Where the store decides it is told of the failure; else the decision
// is made here, and the retry time is drawn.
using FailureSettle = std::variant<Retry, Fail, Nack>;
FailureSettle after_failure(const Profile& profile, const RetryPolicy& policy, const Claim& claim,
                            const Failure& failure, Instant now, Random& random);

// The job goes back as if it had not been claimed: no failure is recorded. Only where the engine
// decides: elsewhere no call gives a lease back.
std::optional<Retry> put_back(const Profile& profile, const Claim& claim, Instant run_at);

// Later by `by`, or the last instant there is.
Instant later(Instant from, Duration by);

}  // namespace assay::engine
