// A store whose clock runs by itself: a call took effect at some instant between two. What one of
// them explains is never convicted, and what none explains is.
#include <gtest/gtest.h>

#include "properties/all.h"
#include "tests/harness/judge/overlapping.h"
#include "tests/properties/judging.h"
#include "tests/properties/told.h"

namespace assay::told {
namespace {

using namespace std::chrono_literals;

Profile by_store(std::string_view name) {
  Profile profile = *built_in_profile(name);
  profile.clock = ClockKnob::store;
  return profile;
}

class Blurred : public testing::TestWithParam<std::string_view> {};

TEST_P(Blurred, NeverConvictsWhatSomeInstantExplains) {
  const Profile profile = by_store(GetParam());
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const History plain = faithful(profile, seed);
    ASSERT_EQ(findings_of(judge(plain, all_properties())), "") << "seed " << seed;
    for (const Duration most : {1ms, 40ms, 5'000ms, 3'600'000ms}) {
      const Judgement judgement = judge(blurred(plain, most, seed), all_properties());
      ASSERT_EQ(findings_of(judgement), "")
          << "seed " << seed << ", up to " << most.count() << " ms";
      EXPECT_EQ(judgement.undecided, 0u);
    }
  }
}

TEST_P(Blurred, NeverConvictsWhereCallsOverlapToo) {
  const Profile profile = by_store(GetParam());
  for (std::uint64_t seed = 300; seed < 320; ++seed) {
    const History plain = faithful(profile, seed);
    for (const Duration most : {2ms, 300ms, 60'000ms}) {
      const History history = blurred(stretched(plain, seed), most, seed);
      ASSERT_EQ(findings_of(judge(history, all_properties())), "")
          << "seed " << seed << ", up to " << most.count() << " ms";
    }
  }
}

TEST_P(Blurred, NeverConvictsWhereAnswersAreLostToo) {
  const Profile profile = by_store(GetParam());
  for (std::uint64_t seed = 404; seed < 408; ++seed) {
    const History plain = faithful(profile, seed);
    for (const std::size_t step : {3, 5, 8, 11}) {
      History history = blurred(stretched(plain, seed * 100 + step), Duration{step * step}, seed);
      for (std::size_t at = step; at < history.events.size(); at += step) hide(history, at);
      ASSERT_EQ(findings_of(judge(history, all_properties())), "")
          << "seed " << seed << ", each " << step << "th event";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, Blurred, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

// --- what no instant explains ---

// What is found in the story, of which each instant is known to `most` and no better.
std::string found_in(Told& told, Duration most) {
  History history = blurred(told.history(), Duration{0}, 7);
  for (Event& event : history.events) {
    if (auto* call = std::get_if<CallEvent>(&event)) call->now -= most;
    if (auto* end = std::get_if<ReturnEvent>(&event)) *end->now += most;
  }
  std::string rules;
  for (const Finding& finding : judge(history, all_properties()).findings)
    rules += finding.rule + " ";
  return rules;
}

#define EXPECT_FOUND(rule, rules) EXPECT_NE((rules).find(rule), std::string::npos) << (rules)

TEST(Blurred, ALeaseThatIsTakenOverTooEarlyIsConvicted) {
  Told early("reference");
  early.held("a").advance(lease_length - 1s).claim("a");
  EXPECT_FOUND("LEASE-2", found_in(early, 400ms));
  EXPECT_NE(found_in(early, 4s), "") << "the lease that was given tells when that was";
}

TEST(Blurred, AJobThatIsHandedOutBeforeItsTimeIsConvicted) {
  Told early("reference");
  early.enqueue("a", 10s).ok().advance(9s).claim("a");
  EXPECT_FOUND("SCHED-1", found_in(early, 400ms));
  EXPECT_NE(found_in(early, 4s), "") << "the lease that was given tells when that was";
}

TEST(Blurred, AJobThatIsNotFoundThoughItIsDueIsConvicted) {
  Told missed("reference");
  missed.enqueue("a", 10s).ok().advance(11s).seek("a").nothing();
  EXPECT_FOUND("SCHED-2", found_in(missed, 400ms));
  EXPECT_FOUND("SCHED-2", found_in(missed, 1s));
  EXPECT_EQ(found_in(missed, 1001ms), "");
}

TEST(Blurred, AnAckThatIsTakenAfterTheLeaseIsOverIsConvicted) {
  Told late("reference");
  late.held("a").advance(lease_length + 1s).ack("a").ok();
  EXPECT_FOUND("FENCE-3", found_in(late, 400ms));
  EXPECT_FOUND("FENCE-3", found_in(late, 1s));
  EXPECT_EQ(found_in(late, 1001ms), "");
}

TEST(Blurred, AnAckThatIsRefusedWhileTheLeaseLivesIsConvicted) {
  Told early("reference");
  early.held("a").advance(lease_length - 1s).ack("a").lost(LeaseReason::expired);
  EXPECT_NE(found_in(early, 999ms), "");
  EXPECT_EQ(found_in(early, 1s), "");
}

TEST(Blurred, ALeaseThatIsShorterThanWasAskedForIsConvicted) {
  Told brief("reference");
  brief.enqueue("a").ok().claim("a", [](Claim& claim) { claim.expires_at -= 1s; });
  EXPECT_FOUND("LEASE-7", found_in(brief, 400ms));
  EXPECT_EQ(found_in(brief, 4s), "");
}

TEST(Blurred, AnotherTokenIsAnotherTokenWheneverItWas) {
  Told forged("reference");
  forged.held("a").ack("a", "forged").ok();
  EXPECT_FOUND("FENCE-1", found_in(forged, 1h));
}

TEST(Blurred, WhereTheCallersClockCountsNothingIsBlurred) {
  Told early("reference");
  early.enqueue("a", 10s).ok().advance(9s).claim("a");
  History history = blurred(early.history(), 0ms, 7);
  history.profile.clock = ClockKnob::caller;
  for (Event& event : history.events)
    if (auto* end = std::get_if<ReturnEvent>(&event)) *end->now += 1h;
  EXPECT_FOUND("SCHED-1", findings_of(judge(history, all_properties())));
}

// The later of two calls cannot have been the earlier.
TEST(Blurred, TheOrderOfCallsThatDidNotOverlapStillCounts) {
  Told twice("reference");
  twice.held("a").claim("a");
  EXPECT_NE(found_in(twice, 10s), "");
}

}  // namespace
}  // namespace assay::told
