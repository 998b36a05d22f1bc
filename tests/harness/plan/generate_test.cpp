#include "harness/plan/generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tests/harness/plan/conforms.h"

namespace assay {
namespace {

RC_GTEST_PROP(Generate, MakesPlansThatAreValidAndFitTheProfile, (std::uint64_t seed)) {
  for (const std::string_view name : profile_names()) {
    const Profile profile = *built_in_profile(name);
    const Plan plan = generate(profile, seed);
    RC_ASSERT(validate(plan).ok());
    RC_ASSERT(misfit(plan, profile) == "");
  }
}

RC_GTEST_PROP(Generate, FitsProfilesWithoutCapabilities, (std::uint64_t seed)) {
  Profile bare;
  const Plan plan = generate(bare, seed);
  RC_ASSERT(validate(plan).ok());
  RC_ASSERT(misfit(plan, bare) == "");
}

RC_GTEST_PROP(Generate, MakesTheSamePlanOfTheSameSeed, (std::uint64_t seed)) {
  const Profile profile = *built_in_profile("reference");
  RC_ASSERT(generate(profile, seed) == generate(profile, seed));
}

RC_GTEST_PROP(Generate, MakesOtherPlansOfOtherSeeds, (std::uint64_t seed)) {
  const Profile profile = *built_in_profile("reference");
  RC_ASSERT(generate(profile, seed).steps != generate(profile, seed + 1).steps);
}

TEST(Generate, MakesAboutAsManyStepsAsAskedFor) {
  const Profile profile = *built_in_profile("upnext");
  for (const int steps : {20, 60, 200}) {
    std::size_t total = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      total += generate(profile, seed, {.steps = steps}).steps.size();
    EXPECT_GT(total, static_cast<std::size_t>(50 * steps * 3 / 4));
    EXPECT_LT(total, static_cast<std::size_t>(50 * steps * 3 / 2));
  }
}

// How many of a thousand steps are of each kind.
std::map<StepKind, int> shares(const Profile& profile) {
  std::map<StepKind, int> counts;
  int total = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const Step& step : generate(profile, seed).steps) {
      ++counts[step.kind];
      ++total;
    }
  }
  for (auto& [kind, count] : counts) count = count * 1000 / total;
  return counts;
}

TEST(Generate, MixesTheKindsOfSteps) {
  for (const std::string_view name : profile_names()) {
    SCOPED_TRACE(name);
    const Profile profile = *built_in_profile(name);
    std::map<StepKind, int> share = shares(profile);
    const bool store = profile.decider == Decider::store;
    EXPECT_GE(share[StepKind::enqueue], 80);
    EXPECT_GE(share[StepKind::reserve], 100);
    EXPECT_GE(share[StepKind::ack], 40);
    EXPECT_GE(share[StepKind::extend], 20);
    EXPECT_GE(share[store ? StepKind::nack : StepKind::retry], 20);
    EXPECT_GE(share[StepKind::advance], 40);
    EXPECT_LE(share[StepKind::get], 450);
    if (!store) {
      EXPECT_GE(share[StepKind::fail], 15);
    }
    if (profile.has("cancel")) {
      EXPECT_GE(share[StepKind::cancel], 5);
    }
    if (profile.has("pause")) {
      EXPECT_GE(share[StepKind::pause], 5);
    }
    if (profile.has("dlq_ops")) {
      EXPECT_GE(share[StepKind::requeue], 5);
    }
  }
}

}  // namespace
}  // namespace assay
