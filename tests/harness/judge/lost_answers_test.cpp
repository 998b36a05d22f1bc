// Histories of a driver that keeps its promises, with answers taken away.
#include <gtest/gtest.h>

#include "properties/all.h"
#include "tests/harness/judge/overlapping.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

class LostAnswers : public testing::TestWithParam<std::string_view> {};

TEST_P(LostAnswers, NeverConvict) {
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
TEST_P(LostAnswers, NeverConvictTogether) {
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

INSTANTIATE_TEST_SUITE_P(Profiles, LostAnswers, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay::told
