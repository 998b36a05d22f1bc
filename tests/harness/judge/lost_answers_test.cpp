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

INSTANTIATE_TEST_SUITE_P(Profiles, LosingAnswers, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay::told
