#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/contract/rules.h"
#include "scenarios/all.h"
#include "tests/harness/plan/conforms.h"

namespace assay {
namespace {

bool makes_sense(const Scenario& scenario, const Profile& profile) {
  Rule rule{};
  rule.needs = scenario.needs;
  return applies(rule, profile);
}

// Calls with each scenario and each built-in profile that it makes sense for.
template <class Check>
void for_each(Check check) {
  for (const std::string_view name : profile_names()) {
    // As of a driver whose clients share a store.
    Profile profile = *built_in_profile(name);
    profile.capabilities.insert("shared_storage");
    for (const Scenario& scenario : all_scenarios()) {
      if (!makes_sense(scenario, profile)) continue;
      SCOPED_TRACE(std::string(scenario.name) + " under " + profile.name);
      check(scenario, profile);
    }
  }
}

TEST(Scenarios, HaveNamesOfTheirOwnAndASentence) {
  std::set<std::string_view> names;
  for (const Scenario& scenario : all_scenarios()) {
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
    EXPECT_EQ(scenario.summary.back(), '.') << scenario.name;
    EXPECT_FALSE(scenario.triggers.empty()) << scenario.name;
  }
}

TEST(Scenarios, AreValidPlansNamedAfterThem) {
  for_each([](const Scenario& scenario, const Profile& profile) {
    const Plan plan = scenario.plan(profile);
    EXPECT_EQ(plan.name, "scenario/" + std::string(scenario.name));
    const Status valid = validate(plan);
    EXPECT_TRUE(valid.ok()) << valid.error().message;
  });
}

TEST(Scenarios, AreTheSameEachTime) {
  for_each([](const Scenario& scenario, const Profile& profile) {
    EXPECT_EQ(scenario.plan(profile), scenario.plan(profile));
  });
}

TEST(Scenarios, AskNothingThatTheProfileDoesNotClaim) {
  for_each([](const Scenario& scenario, const Profile& profile) {
    EXPECT_EQ(misfit(scenario.plan(profile), profile), "");
  });
}

TEST(Scenarios, NameRulesThatExistAndEachOnce) {
  for (const Scenario& scenario : all_scenarios()) {
    std::set<std::string_view> seen;
    for (const std::string_view id : scenario.triggers) {
      EXPECT_NE(find_rule(id), nullptr) << id << " in " << scenario.name;
      EXPECT_TRUE(seen.insert(id).second) << id << " twice in " << scenario.name;
    }
  }
}

// Whether a scenario that makes sense for the profile names the rule.
bool is_named(const Rule& rule, const Profile& profile) {
  return std::ranges::any_of(all_scenarios(), [&](const Scenario& scenario) {
    return makes_sense(scenario, profile) &&
           std::ranges::find(scenario.triggers, rule.id) != scenario.triggers.end();
  });
}

TEST(Scenarios, NameEveryRuleThatOneClientAtATimeCanTrigger) {
  for (const std::string_view name : profile_names()) {
    const Profile profile = *built_in_profile(name);
    for (const Rule& rule : rules()) {
      if (rule.level != Level::contract || rule.certifies != Certifies::driver) continue;
      if (!applies(rule, profile)) continue;
      EXPECT_TRUE(is_named(rule, profile)) << rule.id << " under " << name;
    }
  }
}

TEST(Scenarios, MakeSenseForSomeProfile) {
  std::set<std::string_view> used;
  for_each([&](const Scenario& scenario, const Profile&) { used.insert(scenario.name); });
  EXPECT_EQ(used.size(), all_scenarios().size());
}

}  // namespace
}  // namespace assay
