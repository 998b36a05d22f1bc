// The catalogue of judges, beside the table of rules and the histories that try them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/contract/rules.h"
#include "properties/all.h"
#include "tests/properties/engine_cases.h"

namespace assay::told {
namespace {

// By rule: how many properties judge it.
std::map<std::string_view, int> judged() {
  std::map<std::string_view, int> count;
  for (const auto& property : all_properties())
    for (const auto rule : property.rules) ++count[rule];
  return count;
}

TEST(Catalogue, NamesOnlyRulesOfTheTable) {
  for (const auto& [rule, count] : judged()) EXPECT_NE(find_rule(rule), nullptr) << rule;
}

TEST(Catalogue, JudgesNoRuleTwice) {
  for (const auto& [rule, count] : judged()) EXPECT_EQ(count, 1) << rule;
}

TEST(Catalogue, JudgesWhatClientsCanShowOfADriver) {
  const auto count = judged();
  for (const auto& rule : rules()) {
    if (rule.certifies == Certifies::engine) continue;
    const bool shown = rule.certifies == Certifies::driver && rule.kind != Kind::permission;
    EXPECT_EQ(count.contains(rule.id), shown) << rule.id;
  }
}

// What nobody judges yet is named here, so that nothing is forgotten.
TEST(Catalogue, JudgesAnEngineButForWhatIsNamed) {
  const std::set<std::string_view> not_yet{};
  const auto count = judged();
  for (const auto& rule : rules())
    if (rule.certifies == Certifies::engine && rule.kind != Kind::permission) {
      EXPECT_NE(count.contains(rule.id), not_yet.contains(rule.id)) << rule.id;
    }
}

TEST(Catalogue, NamesEachFamilyOnce) {
  std::set<std::string_view> families;
  for (const auto& property : all_properties())
    EXPECT_TRUE(families.insert(property.family).second) << property.family;
}

TEST(Catalogue, HasThreeHistoriesForEachRule) {
  std::map<std::string_view, int> told;
  for (const auto& rule : all_cases()) {
    ++told[rule.rule];
    EXPECT_TRUE(rule.holds && rule.convicts && rule.unknown) << rule.rule;
  }
  for (const auto rule : engine_rules_told()) ++told[rule];
  for (const auto rule : dispatch_rules_told()) ++told[rule];
  // A rule of drivers that is an engine's, too, has three for each.
  auto expected = judged();
  for (auto& [rule, count] : expected) count += find_rule(rule)->engine_needs.empty() ? 0 : 1;
  EXPECT_EQ(told, expected);
}

TEST(Catalogue, TriesRulesUnderAProfileThatPromisesThem) {
  for (const auto& tried : all_cases()) {
    const auto* rule = find_rule(tried.rule);
    ASSERT_NE(rule, nullptr) << tried.rule;
    EXPECT_TRUE(applies(*rule, *built_in_profile(tried.profile))) << tried.rule;
  }
}

// Restarts, wake-ups and outboxes leave no trace in the history of one client.
TEST(Catalogue, TriesEachPermissionThatOneClientCanShow) {
  const std::set<std::string_view> out_of_sight{"DUR-5", "ORDER-6", "OUTBOX-4"};
  for (const auto& rule : rules()) {
    if (rule.kind != Kind::permission) continue;
    const auto tried = std::ranges::count(permissions(), rule.id, &Permission::rule);
    EXPECT_EQ(tried > 0, !out_of_sight.contains(rule.id)) << rule.id;
  }
}

}  // namespace
}  // namespace assay::told
