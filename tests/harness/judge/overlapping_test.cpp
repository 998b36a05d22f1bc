// Calls that overlap may have happened in any order: a history that some order explains is never
// convicted.
#include "tests/harness/judge/overlapping.h"

#include <gtest/gtest.h>

#include "properties/all.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

class Overlapping : public testing::TestWithParam<std::string_view> {};

TEST_P(Overlapping, NeverConvictsWhatSomeOrderExplains) {
  const Profile profile = *built_in_profile(GetParam());
  bool overlapped = false;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const History plain = faithful(profile, seed);
    for (std::uint64_t shape = 0; shape < 5; ++shape) {
      const History history = stretched(plain, seed * 100 + shape);
      const Judgement judgement = judge(history, all_properties());
      overlapped |= judgement.overlapped;
      ASSERT_EQ(findings_of(judgement), "") << "seed " << seed << ", shape " << shape;
      EXPECT_EQ(judgement.undecided, 0u);
    }
  }
  EXPECT_TRUE(overlapped);
}

TEST_P(Overlapping, NeverConvictsWhereAnswersAreLostToo) {
  const Profile profile = *built_in_profile(GetParam());
  for (std::uint64_t seed = 200; seed < 215; ++seed) {
    const History plain = faithful(profile, seed);
    for (std::size_t step = 2; step < 12; ++step) {
      History history = stretched(plain, seed * 100 + step);
      for (std::size_t at = step; at < history.events.size(); at += step) hide(history, at);
      ASSERT_EQ(findings_of(judge(history, all_properties())), "")
          << "seed " << seed << ", each " << step << "th event";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, Overlapping, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay::told
