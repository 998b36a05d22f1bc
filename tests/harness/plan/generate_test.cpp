#include "harness/plan/generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "drivers/all.h"
#include "harness/run/run.h"
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

RC_GTEST_PROP(GenerateFree, MakesPlansThatAreValidAndFitTheProfile, (std::uint64_t seed)) {
  for (const std::string_view name : profile_names()) {
    const Profile profile = *built_in_profile(name);
    const Plan plan = generate_free(profile, seed);
    RC_ASSERT(validate(plan).ok());
    RC_ASSERT(misfit(plan, profile) == "");
    RC_ASSERT(generate_free(profile, seed) == plan);
  }
}

RC_GTEST_PROP(GenerateFree, FitsProfilesWithoutCapabilities, (std::uint64_t seed)) {
  Profile bare;
  const Plan plan = generate_free(bare, seed);
  RC_ASSERT(validate(plan).ok());
  RC_ASSERT(misfit(plan, bare) == "");
}

RC_GTEST_PROP(GenerateFree, EndsWithAnAccountThatOneClientAtATimeTakes, (std::uint64_t seed)) {
  const Plan plan = generate_free(*built_in_profile("reference"), seed);
  RC_ASSERT(is_free(plan));
  const auto last = std::ranges::find_if(plan.steps.rbegin(), plan.steps.rend(), &Step::free);
  const auto made = std::ranges::count(plan.steps, StepKind::enqueue, &Step::kind);
  const auto looks = std::count_if(plan.steps.rbegin(), last,
                                   [](const Step& step) { return step.kind == StepKind::get; });
  RC_ASSERT(looks >= made);
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

struct Effect {
  int steps = 0;       // that ask something
  int calls = 0;       // that were made: their slots were not empty
  int reserves = 0;    // answered
  int deliveries = 0;  // of those, with a claim
  int settles = 0;
  int refused = 0;  // of those
};

const DriverInfo& memory() {
  return *std::ranges::find(all_drivers(), "memory", &DriverInfo::name);
}

Effect effect_on_memory(const Profile& profile, std::uint64_t seed) {
  VirtualClock clock;
  const auto driver = memory().make({.profile = profile, .clock = clock});
  const Plan plan = generate(profile, seed);
  const RunResult ran = run(plan, **driver, "memory");
  Effect effect;
  for (const Step& step : plan.steps) effect.steps += step.kind != StepKind::advance;
  effect.calls = static_cast<int>(ran.step_of_op.size());
  for (const Event& event : ran.history.events) {
    const auto* end = std::get_if<ReturnEvent>(&event);
    if (!end) continue;
    const Step& step = plan.steps[ran.step_of_op[end->op]];
    const bool ok = end->outcome == OutcomeKind::ok;
    if (step.kind == StepKind::reserve && ok) {
      ++effect.reserves;
      effect.deliveries += !std::get<Claims>(end->response).claims.empty();
    }
    if (step.kind >= StepKind::ack && step.kind <= StepKind::nack) {
      ++effect.settles;
      effect.refused += !ok;
    }
  }
  return effect;
}

TEST(Generate, MostlyDoesSomethingAndIsSometimesRefused) {
  for (const std::string_view name : profile_names()) {
    SCOPED_TRACE(name);
    Effect sum;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Effect one = effect_on_memory(*built_in_profile(name), seed);
      sum.steps += one.steps;
      sum.calls += one.calls;
      sum.reserves += one.reserves;
      sum.deliveries += one.deliveries;
      sum.settles += one.settles;
      sum.refused += one.refused;
    }
    EXPECT_GT(sum.calls, sum.steps * 85 / 100);
    EXPECT_GT(sum.deliveries, sum.reserves * 60 / 100);
    EXPECT_GT(sum.refused, sum.settles * 8 / 100);
    EXPECT_LT(sum.refused, sum.settles * 45 / 100);
  }
}

}  // namespace
}  // namespace assay
