#include "harness/plan/brief.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace std::chrono_literals;

Duration lease_of(Duration lease) {
  Plan plan;
  plan.steps.push_back({.kind = StepKind::reserve, .lease = lease});
  return brief(plan, *built_in_profile("reference")).steps[0].lease;
}

Duration wait_of(const Profile& profile, When when) {
  Plan plan;
  plan.steps.push_back({.kind = StepKind::advance, .when = when});
  return brief(plan, profile).steps[0].when->offset;
}

TEST(Brief, KeepsTheLongerTheLonger) {
  Duration last{0};
  for (const Duration each : {1ms, 10ms, 50ms, 400ms, 1'000ms, 3'000ms, 9'000ms, 30'000ms, 60'000ms,
                              61'000ms, 3'600'000ms, 86'400'000ms, 8'640'000'000ms}) {
    const Duration shortened = lease_of(each);
    EXPECT_GE(shortened, last) << each.count();
    EXPECT_LE(shortened, each);
    last = shortened;
  }
  EXPECT_LT(last, 2s);
  EXPECT_EQ(lease_of(10ms), 10ms);
}

TEST(Brief, LeavesRoomForHeartbeats) { EXPECT_GT(lease_of(9s), lease_of(3s) + 100ms); }

TEST(Brief, WaitsForWhatTheStoreDecidesAsLongAsItTakes) {
  Profile profile = *built_in_profile("weave");
  profile.decider = Decider::store;
  profile.backoff = {100ms, 400ms};
  EXPECT_GE(wait_of(profile, {.offset = 400ms}), 400ms);
  EXPECT_GE(wait_of(profile, {.offset = 11s}), 400ms);
  profile.backoff.cap = 24h;
  EXPECT_LT(wait_of(profile, {.offset = 24h}), 2s);
}

TEST(Brief, IsSurelyBeforeOrAfterALease) {
  const Profile profile = *built_in_profile("reference");
  EXPECT_EQ(wait_of(profile, {.base = When::Base::expiry, .offset = 700ms}), 700ms);
  EXPECT_EQ(wait_of(profile, {.base = When::Base::expiry}), 0ms);
  EXPECT_EQ(wait_of(profile, {.base = When::Base::due, .offset = -1ms}), -80ms);
  EXPECT_EQ(wait_of(profile, {.offset = -5s}), -5s);
}

}  // namespace
}  // namespace assay
