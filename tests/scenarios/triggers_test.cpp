#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/all.h"
#include "harness/contract/rules.h"
#include "harness/judge/judge.h"
#include "harness/plan/generate.h"
#include "harness/run/run.h"
#include "properties/all.h"
#include "scenarios/all.h"

namespace assay {
namespace {

class ScenariosOnMemory : public testing::TestWithParam<std::string_view> {
 protected:
  Judgement judged(const Plan& plan) const {
    VirtualClock clock;
    const auto memory = std::ranges::find(all_drivers(), "memory", &DriverInfo::name);
    const auto driver = memory->make({.profile = profile_, .clock = clock, .seed = 7});
    const RunResult ran = run(plan, **driver, "memory");
    EXPECT_FALSE(ran.trouble) << ran.trouble->message;
    return judge(ran.history, all_properties());
  }

  bool makes_sense(const Scenario& scenario) const {
    Rule rule{};
    rule.needs = scenario.needs;
    return applies(rule, profile_);
  }

  const Profile profile_ = *built_in_profile(GetParam());
};

TEST_P(ScenariosOnMemory, TriggerTheRulesThatTheyName) {
  for (const Scenario& scenario : all_scenarios()) {
    if (!makes_sense(scenario)) continue;
    const Judgement judgement = judged(scenario.plan(profile_));
    for (const std::string_view id : scenario.triggers) {
      if (!applies(*find_rule(id), profile_)) continue;
      EXPECT_TRUE(judgement.tallies.contains(id)) << id << " by " << scenario.name;
    }
  }
}

TEST_P(ScenariosOnMemory, AreAllFoundToHold) {
  for (const Scenario& scenario : all_scenarios()) {
    if (!makes_sense(scenario)) continue;
    for (const Finding& finding : judged(scenario.plan(profile_)).findings)
      ADD_FAILURE() << finding.rule << " by " << scenario.name << ": " << finding.story;
  }
}

TEST_P(ScenariosOnMemory, GeneratedPlansOfClientsThatMoveAtOnceAreFoundToHold) {
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const Finding& finding : judged(generate_free(profile_, seed)).findings)
      ADD_FAILURE() << finding.rule << " by seed " << seed << ": " << finding.story;
}

TEST_P(ScenariosOnMemory, GeneratedPlansAreFoundToHold) {
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const Finding& finding : judged(generate(profile_, seed)).findings)
      ADD_FAILURE() << finding.rule << " by seed " << seed << ": " << finding.story;
}

INSTANTIATE_TEST_SUITE_P(Profiles, ScenariosOnMemory, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay
