// Histories of a driver that keeps its promises, with answers taken away.
#include <gtest/gtest.h>

#include "properties/all.h"
#include "tests/harness/judge/overlapping.h"
#include "tests/properties/judging.h"
#include "tests/properties/told.h"

namespace assay::told {
namespace {

class LosingAnswers : public testing::TestWithParam<std::string_view> {};

TEST_P(LosingAnswers, NeverConvict) {
  const Profile profile = *built_in_profile(GetParam());
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto whole = faithful(profile, seed);
    ASSERT_EQ(findings_of(judge(whole, all_properties())), "") << "seed " << seed;
    for (std::size_t at = 0; at < whole.events.size(); ++at) {
      auto lossy = whole;
      if (!hide(lossy, at)) continue;
      ASSERT_EQ(findings_of(judge(lossy, all_properties())), "")
          << "seed " << seed << ", event " << at;
    }
  }
}

// Two at a time, so that one loss meets the other.
TEST_P(LosingAnswers, NeverConvictTogether) {
  const Profile profile = *built_in_profile(GetParam());
  for (std::uint64_t seed = 100; seed < 112; ++seed) {
    const auto whole = faithful(profile, seed);
    for (std::size_t step = 2; step < 20; ++step) {
      auto lossy = whole;
      for (std::size_t at = step; at < whole.events.size(); at += step) hide(lossy, at);
      ASSERT_EQ(findings_of(judge(lossy, all_properties())), "")
          << "seed " << seed << ", each " << step << "th event";
    }
  }
}

// --- many on one job ---

// Thirty settles whose answers were lost, with this token.
void settle_in_vain(Told& told, const Token& token) {
  for (int i = 0; i < 10; ++i) {
    told.as(i).ack("a", token).unknown();
    told.as(i).retry("a", Duration{0}, 1, token).unknown();
    told.as(i).fail("a", 1, token).unknown();
  }
}

TEST(LostAnswers, OfThirtySettlesOneMayHaveCounted) {
  for (const JobState state : {JobState::leased, JobState::ready, JobState::done}) {
    Told told("reference");
    told.held("a");
    JobView view = told.view("a");
    settle_in_vain(told, {});
    view.job.state = state;
    if (state != JobState::leased) view.lease.reset();
    if (state == JobState::ready) view.job.attempts = 1;
    told.get("a").answers(view);
    const Judgement judgement = judge(told.history(), all_properties());
    EXPECT_EQ(judgement.undecided, 0u) << name_of(state);
    EXPECT_EQ(findings_of(judgement), "") << name_of(state);
  }
}

TEST(LostAnswers, OfThirtySettlesWithAnotherTokenNoneMayHave) {
  Told told("reference");
  told.held("a");
  JobView view = told.view("a");
  settle_in_vain(told, "forged");
  view.job.state = JobState::done;
  view.lease.reset();
  told.get("a").answers(view);
  const Judgement judgement = judge(told.history(), all_properties());
  EXPECT_EQ(judgement.undecided, 0u);
  EXPECT_NE(findings_of(judgement), "");
}

TEST(LostAnswers, AreUndecidedBeyondWhatMayBeSearched) {
  Told told("reference");
  told.held("a");
  settle_in_vain(told, {});
  told.get("a").shows();
  Judge strict(told.profile, all_properties(), {.steps = 3});
  const Judgement judgement = strict.judge(told.history());
  EXPECT_EQ(judgement.undecided, 1u);
  EXPECT_EQ(findings_of(judgement), "");
}

// --- a claim that finds nothing ---

// What a look at the job shows, whatever happened to it.
void shows(Told& told, JobState state, bool with_lease) {
  JobView view = told.view("a");
  view.job.state = state;
  if (!with_lease) view.lease.reset();
  told.get("a").answers(view);
}

// An ack that was lost, a lease that is over, and a claim that finds nothing.
Told nobody_gets_it() {
  Told told("reference");
  told.held("a").ack("a").unknown();
  told.advance(2 * lease_length).as(1).reserve().nothing();
  return told;
}

TEST(LostAnswers, ExcuseAClaimThatFindsNothing) {
  Told told = nobody_gets_it();
  EXPECT_EQ(findings_of(judge(told.history(), all_properties())), "");
  shows(told, JobState::done, false);
  told.as(1).reserve().nothing();
  EXPECT_EQ(findings_of(judge(told.history(), all_properties())), "");
}

TEST(LostAnswers, DoNotExcuseItWhereNothingOfThemShows) {
  Told told = nobody_gets_it();
  told.as(1).reserve().nothing();
  shows(told, JobState::leased, true);
  const Judgement judgement = judge(told.history(), all_properties());
  const std::string findings = findings_of(judgement);
  EXPECT_TRUE(judgement.tallies.of("CLAIM-7").convicted) << findings;
  EXPECT_TRUE(judgement.tallies.of("DELIV-5").convicted) << findings;
  ASSERT_FALSE(judgement.findings.empty());
  // The claim is what cannot be; the ack and the look are a part of the story.
  EXPECT_EQ(judgement.findings[0].at, OpId{4});
  EXPECT_EQ(judgement.findings[0].ops, (std::vector<OpId>{2, 3, 4, 6}));
  EXPECT_NE(findings.find("What was lost in step 4 would excuse that"), std::string::npos)
      << findings;
}

// The ack may well have happened: what is wrong is that the job came back after it.
TEST(LostAnswers, AreNotMixedUpWithWhatIsWrongLater) {
  Told told = nobody_gets_it();
  shows(told, JobState::done, false);
  told.as(1).reserve().claims({"a"});
  const Judgement judgement = judge(told.history(), all_properties());
  EXPECT_FALSE(judgement.tallies.of("CLAIM-7").convicted) << findings_of(judgement);
  EXPECT_TRUE(judgement.tallies.of("CLAIM-4").convicted) << findings_of(judgement);
}

TEST(LostAnswers, OfClaimsExcuseOneThatFindsNothingAsLongAsNothingElseShows) {
  for (const JobState state : {JobState::leased, JobState::ready}) {
    Told told("reference");
    told.enqueue("a").ok().reserve().unknown();
    told.as(1).reserve().nothing();
    EXPECT_EQ(findings_of(judge(told.history(), all_properties())), "");
    JobView view = told.view("a");
    view.job.state = state;
    if (state == JobState::leased) view.lease = LeaseView{"unheard", told.now + lease_length, "w0"};
    told.get("a").answers(view);
    const Judgement judgement = judge(told.history(), all_properties());
    EXPECT_EQ(judgement.tallies.of("CLAIM-7").convicted > 0, state == JobState::ready)
        << name_of(state) << " " << findings_of(judgement);
  }
}

// A lost claim takes a job once: when its lease is over, the job is free again.
TEST(LostAnswers, OfOneClaimDoNotExcuseTwoLeasesLater) {
  Told told("reference");
  told.enqueue("a").ok().reserve().unknown();
  for (int i = 0; i < 3; ++i) told.as(1).advance(2 * lease_length).reserve().nothing();
  const Judgement judgement = judge(told.history(), all_properties());
  EXPECT_TRUE(judgement.tallies.of("CLAIM-7").convicted) << findings_of(judgement);
}

TEST(LostAnswers, OfAPauseExcuseEveryClaimThatFindsNothing) {
  Told told("reference");
  told.held("a").ack("a").unknown();
  told.pause().unknown();
  told.advance(2 * lease_length).as(1).reserve().nothing();
  shows(told, JobState::leased, true);
  EXPECT_EQ(findings_of(judge(told.history(), all_properties())), "");
}

INSTANTIATE_TEST_SUITE_P(Profiles, LosingAnswers, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay::told
