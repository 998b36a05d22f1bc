#include "engine/retry_policy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "engine/failure.h"

namespace assay::engine {
namespace {

using namespace std::chrono_literals;

TEST(RetryPolicyTest, IsFullJitterOfHalfASecondToThirtyAndFourRunsWhereNobodySaysOtherwise) {
  const RetryPolicy policy;
  EXPECT_EQ(policy.backoff, Backoff::full_jitter);
  EXPECT_EQ(window_of(policy, 1), 500ms);
  EXPECT_EQ(window_of(policy, 2), 1s);
  EXPECT_EQ(window_of(policy, 3), 2s);
  EXPECT_EQ(window_of(policy, 7), 30s);
  EXPECT_EQ(window_of(policy, INT64_MAX), 30s);
  EXPECT_EQ(policy.runs, 4);
}

RetryPolicy drawn_policy() {
  RetryPolicy policy;
  policy.backoff = *rc::gen::element(Backoff::full_jitter, Backoff::exponential, Backoff::fixed);
  policy.base = Duration{*rc::gen::inRange<std::int64_t>(0, 1'000'000)};
  policy.cap = policy.base + Duration{*rc::gen::inRange<std::int64_t>(0, 100'000'000)};
  policy.jitter_percent = *rc::gen::inRange(0, 101);
  return policy;
}

RC_GTEST_PROP(RetryPolicyTest, NeverWaitsLongerThanTheWindowOfTheFailure, (std::uint64_t seed)) {
  RetryPolicy policy = drawn_policy();
  policy.backoff = Backoff::full_jitter;
  const auto failure = *rc::gen::inRange<std::int64_t>(1, 80);
  Random random(seed);
  const Duration delay = delay_after(policy, failure, random);
  long double window = static_cast<long double>(policy.base.count());
  for (std::int64_t n = 1; n < failure; ++n) window *= 2;
  RC_ASSERT(delay >= 0ms);
  RC_ASSERT(delay <= policy.cap);
  RC_ASSERT(static_cast<long double>(delay.count()) <= window);
}

RC_GTEST_PROP(RetryPolicyTest, StaysBetweenNothingAndTheCap, (std::uint64_t seed)) {
  const RetryPolicy policy = drawn_policy();
  Random random(seed);
  const Duration delay = delay_after(policy, *rc::gen::inRange<std::int64_t>(1, INT64_MAX), random);
  RC_ASSERT(delay >= 0ms);
  RC_ASSERT(delay <= policy.cap);
}

RC_GTEST_PROP(RetryPolicyTest, StaysWithinItsJitter, (std::uint64_t seed)) {
  RetryPolicy policy = drawn_policy();
  policy.backoff = *rc::gen::element(Backoff::exponential, Backoff::fixed);
  const auto failure = *rc::gen::inRange<std::int64_t>(1, 40);
  Random random(seed);
  const Duration delay = delay_after(policy, failure, random);
  const Duration middle =
      policy.backoff == Backoff::fixed ? policy.base : window_of(policy, failure);
  RC_ASSERT(delay * 100 >= middle * (100 - policy.jitter_percent));
  RC_ASSERT(delay * 100 <= middle * (100 + policy.jitter_percent));
}

RC_GTEST_PROP(RetryPolicyTest, DrawsTheSameForTheSameSeed, (std::uint64_t seed)) {
  const RetryPolicy policy = drawn_policy();
  Random one(seed), two(seed);
  RC_ASSERT(delay_after(policy, 3, one) == delay_after(policy, 3, two));
}

TEST(RetryPolicyTest, ReachesBothEndsOfItsWindow) {
  RetryPolicy policy;
  policy.base = 3ms;
  std::set<Duration> seen;
  Random random(1);
  for (int i = 0; i < 200; ++i) seen.insert(delay_after(policy, 1, random));
  EXPECT_EQ(seen, (std::set<Duration>{0ms, 1ms, 2ms, 3ms}));
}

TEST(RetryPolicyTest, HasEachProfilesNumbers) {
  const auto of = [](std::string_view name) { return policy_of(*built_in_profile(name)); };
  EXPECT_EQ(of("reference").runs, 3);
  EXPECT_EQ(of("taskharbor").runs, 25);
  EXPECT_EQ(of("taskharbor").base, 200ms);
  EXPECT_EQ(of("taskharbor").cap, 5s);
  EXPECT_EQ(of("upnext").runs, 1);
  EXPECT_EQ(of("upnext").cap, 1h);
  EXPECT_EQ(of("weave").runs, 4);
}

TEST(RetryPolicyTest, AllowsTheSmallerOfTheJobsLimitAndItsOwn) {
  const Profile attempts = *built_in_profile("reference");
  const Profile retries = *built_in_profile("upnext");
  RetryPolicy policy;
  Job job;
  EXPECT_EQ(runs_of(policy, attempts, job), 4);
  job.max_attempts = 0;
  EXPECT_EQ(runs_of(policy, attempts, job), 4);
  job.max_attempts = 9;
  EXPECT_EQ(runs_of(policy, attempts, job), 9);
  EXPECT_EQ(runs_of(policy, retries, job), 10);
  policy.most_runs = 5;
  EXPECT_EQ(runs_of(policy, attempts, job), 5);
  job.max_attempts = 2;
  EXPECT_EQ(runs_of(policy, attempts, job), 2);
  job.max_attempts = INT64_MAX;
  EXPECT_EQ(runs_of(policy, retries, job), 5);
}

TEST(RetryPolicyTest, RefusesNumbersThatMakeNoSense) {
  const auto objects = [](auto alter) {
    RetryPolicy policy;
    alter(policy);
    return objection_to(policy).has_value();
  };
  EXPECT_FALSE(objects([](RetryPolicy&) {}));
  EXPECT_TRUE(objects([](RetryPolicy& p) { p.base = -1ms; }));
  EXPECT_TRUE(objects([](RetryPolicy& p) { p.cap = 1ms; }));
  EXPECT_TRUE(objects([](RetryPolicy& p) { p.jitter_percent = 101; }));
  EXPECT_TRUE(objects([](RetryPolicy& p) { p.runs = 0; }));
  EXPECT_TRUE(objects([](RetryPolicy& p) { p.most_runs = 0; }));
}

// --- what a failure leads to ---

Claim claim_at(std::int64_t attempts, std::optional<std::int64_t> limit = {}) {
  Claim claim;
  claim.job.id = "j";
  claim.job.attempts = attempts;
  claim.job.max_attempts = limit;
  claim.token = "t";
  return claim;
}

FailureSettle failed(const Profile& profile, const Claim& claim, Failure failure = {"no"}) {
  Random random(1);
  return after_failure(profile, policy_of(profile), claim, failure, run_epoch, random);
}

TEST(FailureTest, IsRetriedBelowTheLimitAndDiesAtIt) {
  const Profile profile = *built_in_profile("reference");
  const auto retry = std::get<Retry>(failed(profile, claim_at(1, 3)));
  EXPECT_EQ(retry.attempts, 2);
  EXPECT_EQ(retry.error, "no");
  EXPECT_GE(retry.run_at, run_epoch);
  EXPECT_LE(retry.run_at, run_epoch + 1s);
  const auto dead = std::get<Fail>(failed(profile, claim_at(2, 3)));
  EXPECT_EQ(dead.attempts, 3);
  EXPECT_EQ(dead.reason, "limit reached");
}

TEST(FailureTest, CountsStartsWhereTheClaimDid) {
  const Profile profile = *built_in_profile("upnext");
  EXPECT_EQ(std::get<Retry>(failed(profile, claim_at(1, 1))).attempts, 1);
  EXPECT_EQ(std::get<Fail>(failed(profile, claim_at(2, 1))).attempts, 2);
  EXPECT_EQ(std::get<Fail>(failed(profile, claim_at(1))).attempts, 1);
  EXPECT_EQ(put_back(profile, claim_at(2), run_epoch)->attempts, 1);
}

TEST(FailureTest, DiesAtOnceWhereItIsUnrecoverable) {
  const Profile profile = *built_in_profile("reference");
  const auto dead = std::get<Fail>(failed(profile, claim_at(0, 9), {"bad", true}));
  EXPECT_EQ(dead.attempts, 1);
  EXPECT_EQ(dead.reason, "unrecoverable");
  EXPECT_EQ(dead.error, "bad");
}

TEST(FailureTest, IsTheStoresToDecideWhereTheProfileSaysSo) {
  for (const auto name : {"trace", "weave"}) {
    const Profile profile = *built_in_profile(name);
    EXPECT_EQ(std::get<Nack>(failed(profile, claim_at(1), {"bad", true})),
              (Nack{{"j", "t", {}}, "bad", true}));
    EXPECT_FALSE(put_back(profile, claim_at(1), run_epoch));
  }
}

TEST(FailureTest, LeavesCounterAndErrorAloneWhereTheJobIsPutBack) {
  Claim claim = claim_at(2);
  claim.job.last_error = "old";
  EXPECT_EQ(*put_back(*built_in_profile("reference"), claim, run_epoch),
            (Retry{{"j", "t", {}}, run_epoch, 2, "old"}));
}

}  // namespace
}  // namespace assay::engine
