#include <gtest/gtest.h>

#include <algorithm>

#include "harness/run/certify.h"

namespace assay {
namespace {

Profile reference() { return built_in_profile("reference").value(); }

Result<Selection> select(const Profile& profile, const std::vector<std::string>& globs,
                         Level level = Level::contract) {
  return select_rules(profile, level, globs);
}

std::vector<std::string> ids(const Selection& selection) {
  std::vector<std::string> ids;
  for (const Rule* rule : selection.rules) ids.emplace_back(rule->id);
  return ids;
}

std::string reason(const std::vector<NotTested>& list, std::string_view id) {
  const auto found = std::ranges::find(list, id, &NotTested::id);
  return found == list.end() ? "" : found->reason;
}

TEST(SelectRules, SayWhoComparesDrivers) {
  const auto selection = select(reference(), {});
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(reason(selection->others, "META-1"), "compares drivers: `assay certify all` does");
}

// What META-2 asks for: that a certification of a whole driver speaks of each of these.
TEST(SelectRules, CoverSchedulingRetriesLeasesKeysAndConcurrency) {
  for (const std::string_view name : profile_names()) {
    const Profile profile = built_in_profile(std::string(name)).value();
    const auto selection = select(profile, {}, Level::concurrency);
    ASSERT_TRUE(selection.ok());
    const std::vector<std::string> covered = ids(*selection);
    std::vector<std::string_view> families{"SCHED-", "RETRY-", "DLQ-", "LEASE-", "FENCE-"};
    if (profile.idem != Idem::none) families.push_back("IDEMP-");
    for (const std::string_view family : families)
      EXPECT_TRUE(std::ranges::any_of(
          covered, [&](const std::string& id) { return id.starts_with(family); }))
          << name << " " << family;
    EXPECT_TRUE(std::ranges::any_of(selection->rules, [](const Rule* rule) {
      return rule->level == Level::concurrency;
    })) << name;
  }
}

TEST(Selects, KnowsGlobs) {
  const std::vector<std::string> globs{"fence-*", "ACK-1"};
  EXPECT_TRUE(selects(globs, "FENCE-2"));
  EXPECT_TRUE(selects(globs, "ACK-1"));
  EXPECT_FALSE(selects(globs, "ACK-10"));
  EXPECT_TRUE(selects({}, "ACK-10"));
  EXPECT_TRUE(check_globs(globs).ok());
  EXPECT_FALSE(check_globs(std::vector<std::string>{"NOPE-*"}).ok());
}

TEST(SelectRules, SpeaksOfEveryRuleOnce) {
  const auto selection = select(reference(), {});
  ASSERT_TRUE(selection.ok());
  std::vector<std::string> all = ids(*selection);
  for (const auto& rule : selection->not_claimed) all.push_back(rule.id);
  for (const auto& rule : selection->others) all.push_back(rule.id);
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  EXPECT_EQ(all.size(), rules().size());
}

TEST(SelectRules, TakesTheDriversRulesOfTheLevelInTheTablesOrder) {
  const auto selection = select(reference(), {});
  ASSERT_TRUE(selection.ok());
  ASSERT_FALSE(selection->rules.empty());
  EXPECT_TRUE(std::ranges::is_sorted(selection->rules));
  for (const Rule* rule : selection->rules) {
    EXPECT_EQ(rule->certifies, Certifies::driver) << rule->id;
    EXPECT_NE(rule->kind, Kind::permission) << rule->id;
    EXPECT_EQ(rule->level, Level::contract) << rule->id;
    EXPECT_TRUE(applies(*rule, reference())) << rule->id;
  }
}

TEST(SelectRules, AsksWhoDecidesWhereARuleIsOfTheDriverOrOfTheEngine) {
  const auto has = [](const std::vector<const Rule*>& rules, std::string_view id) {
    return std::ranges::find(rules, id, [](const Rule* rule) { return rule->id; }) != rules.end();
  };
  for (const std::string_view name : profile_names()) {
    const Profile profile = *built_in_profile(name);
    const auto driver = select_rules(profile, Level::contract, {});
    const auto engine = select_rules(profile, Level::contract, {}, Certifies::engine);
    ASSERT_TRUE(driver.ok() && engine.ok());
    EXPECT_EQ(engine->layer, Certifies::engine);
    const bool is_engines = profile.decider == Decider::engine;
    for (const std::string_view id : {"RETRY-3", "RETRY-13", "BACK-5", "DLQ-1"}) {
      EXPECT_EQ(has(engine->rules, id), is_engines) << name << id;
      EXPECT_EQ(has(driver->rules, id), !is_engines) << name << id;
      EXPECT_EQ(
          reason((is_engines ? driver : engine)->not_claimed, id),
          is_engines ? "not claimed: needs decider=store" : "not claimed: needs decider=engine");
    }
    EXPECT_TRUE(has(driver->rules, "DLQ-2")) << name;
  }
}

TEST(SelectRules, SaysWhyTheOthersAreLeftOut) {
  const auto selection = select(reference(), {"ENQ-1"});
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(reason(selection->others, "ACK-1"), "not selected");
  EXPECT_EQ(reason(selection->others, "ENQ-5"), "a permission: never flagged");
  for (const Rule& rule : rules()) {
    const std::string why = reason(selection->others, rule.id);
    const bool drivers = rule.certifies == Certifies::driver && rule.kind != Kind::permission;
    if (rule.certifies == Certifies::engine && rule.kind != Kind::permission) {
      EXPECT_EQ(why, "engine rule: this certifies a driver") << rule.id;
    }
    if (drivers && rule.level == Level::chaos) {
      EXPECT_EQ(why, "of level chaos; this was contract") << rule.id;
    }
  }
}

TEST(SelectRules, IncludesTheLevelsBelow) {
  const auto contract = select(reference(), {});
  const auto chaos = select(reference(), {}, Level::chaos);
  ASSERT_TRUE(contract.ok() && chaos.ok());
  EXPECT_TRUE(std::ranges::includes(chaos->rules, contract->rules));
  EXPECT_GT(chaos->rules.size(), contract->rules.size());
}

TEST(SelectRules, ListsWhatTheProfileDoesNotClaimWithTheNeed) {
  Profile profile = reference();
  const auto before = select(profile, {});
  profile.capabilities.erase("pause");
  const auto after = select(profile, {});
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_GT(after->not_claimed.size(), before->not_claimed.size());
  for (const Rule* rule : before->rules) {
    if (rule->needs == "pause") {
      EXPECT_EQ(reason(after->not_claimed, rule->id), "not claimed: needs pause") << rule->id;
    }
  }
}

TEST(SelectRules, KnowsGlobsInAnyCase) {
  EXPECT_EQ(ids(*select(reference(), {"enq-1"})), std::vector<std::string>{"ENQ-1"});
  const auto family = select(reference(), {"fence-*"});
  ASSERT_TRUE(family.ok());
  EXPECT_GT(family->rules.size(), 3u);
  for (const std::string& id : ids(*family)) EXPECT_TRUE(id.starts_with("FENCE-")) << id;
  const auto any_one = select(reference(), {"ACK-?", "*Q-1"});
  ASSERT_TRUE(any_one.ok());
  const auto found = ids(*any_one);
  EXPECT_NE(std::ranges::find(found, "ACK-1"), found.end());
  EXPECT_NE(std::ranges::find(found, "ENQ-1"), found.end());
  EXPECT_EQ(std::ranges::find(found, "FENCE-1"), found.end());
}

TEST(SelectRules, RefusesAGlobThatMatchesNothingAndNamesTheNearest) {
  const auto selection = select(reference(), {"ENQ-1", "FENSE-2"});
  ASSERT_FALSE(selection.ok());
  EXPECT_EQ(selection.error().code, ErrorCode::invalid);
  EXPECT_NE(selection.error().message.find("'FENSE-2'"), std::string::npos);
  EXPECT_NE(selection.error().message.find("FENCE-2"), std::string::npos);
}

TEST(SelectRules, RefusesASelectionOfWhichNothingCanBeTested) {
  const auto selection = select(reference(), {"ENQ-5"});
  ASSERT_FALSE(selection.ok());
  EXPECT_NE(selection.error().message.find("ENQ-5 (a permission: never flagged)"),
            std::string::npos);
}

}  // namespace
}  // namespace assay
