#include "harness/contract/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay {
namespace {

bool from_code(const Rule& rule) { return rule.id.starts_with('X'); }

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  return parts;
}

std::vector<std::string> terms_in(std::string_view needs) {
  std::vector<std::string> terms;
  if (needs.empty()) return terms;
  for (const auto& part : split(needs, " & "))
    for (const auto& term : split(part, " | ")) terms.push_back(term);
  return terms;
}
std::vector<std::string> terms_of(const Rule& rule) { return terms_in(rule.needs); }

TEST(Rules, AreAsManyAsTheContractHas) {
  std::map<Kind, int> kinds;
  int found_in_code = 0;
  for (const Rule& rule : rules()) from_code(rule) ? ++found_in_code : ++kinds[rule.kind];
  EXPECT_EQ(kinds[Kind::safety], 131);
  EXPECT_EQ(kinds[Kind::liveness], 22);
  EXPECT_EQ(kinds[Kind::permission], 16);
  EXPECT_EQ(found_in_code, 29);
}

TEST(Rules, AreNumberedWithoutGapsWithinTheirFamily) {
  const std::map<std::string_view, int> expected{
      {"DELIV", 7},  {"DUR", 7},   {"ENQ", 6},    {"SCHED", 6},  {"CLAIM", 8}, {"LEASE", 11},
      {"FENCE", 11}, {"HB", 6},    {"ACK", 5},    {"RETRY", 14}, {"BACK", 5},  {"POLICY", 2},
      {"DLQ", 10},   {"STATE", 5}, {"IDEMP", 10}, {"EFFECT", 2}, {"ORDER", 7}, {"ERR", 5},
      {"ADMIN", 2},  {"TIME", 6},  {"EXEC", 3},   {"CANCEL", 4}, {"PAUSE", 3}, {"WAKE", 6},
      {"OUTBOX", 6}, {"REAP", 3},  {"AVAIL", 2},  {"FLOW", 5},   {"META", 2}};
  std::map<std::string_view, int> seen;
  for (const Rule& rule : rules()) {
    const auto family = family_of(rule.id);
    EXPECT_EQ(rule.id, std::string(family) + "-" + std::to_string(++seen[family]));
  }
  std::erase_if(seen, [](const auto& entry) { return entry.first.starts_with('X'); });
  EXPECT_EQ(seen, expected);
}

TEST(Rules, SayOnePromiseAndOneTriggerEach) {
  std::set<std::string_view> promises;
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(promises.insert(rule.promise).second) << rule.id;
    EXPECT_TRUE(rule.promise.ends_with('.')) << rule.id;
    EXPECT_EQ(rule.promise.find(". "), std::string_view::npos) << rule.id;
    EXPECT_FALSE(rule.trigger.empty() || rule.trigger.ends_with('.')) << rule.id;
  }
}

TEST(Rules, NameRealLayersAndSources) {
  const std::set<std::string> layers{"D", "E", "W", "X", "A", "F", "H"};
  const std::set<std::string> seeds{"000", "001", "002", "003", "004"};
  const std::set<std::string> repositories{"TaskHarbor", "Trace", "UpNext", "weave"};
  for (const Rule& rule : rules()) {
    for (const auto& layer : split(rule.layers, ","))
      EXPECT_TRUE(layers.contains(layer)) << rule.id;
    for (const auto& source : split(rule.seeds, from_code(rule) ? ", " : " "))
      EXPECT_TRUE((from_code(rule) ? repositories : seeds).contains(source)) << rule.id;
  }
}

TEST(Rules, NeedOnlyKnobsValuesAndCapabilitiesThatExist) {
  std::set<std::string> known{"done_retention_ms!=0", "claim_batch!=1"};  // numbers
  for (const Capability& capability : capabilities()) known.emplace(capability.name);
  for (const Knob& knob : knobs())
    for (const KnobValue& value : knob.values)
      for (const auto relation : {"=", "!="})
        known.insert(std::string(knob.name) + relation + std::string(value.name));
  for (const Rule& rule : rules())
    for (const std::string_view needs : {rule.needs, rule.engine_needs})
      for (const auto& term : terms_in(needs))
        EXPECT_TRUE(known.contains(term)) << rule.id << " needs '" << term << "'";
}

// What a failure leads to is nobody's but the decider's.
TEST(Rules, AreOfAnEngineTooWhereItDecidesWhatElseTheStoreDoes) {
  std::set<std::string_view> of_both;
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(concerns(rule, rule.certifies)) << rule.id;
    if (rule.engine_needs.empty()) {
      EXPECT_EQ(concerns(rule, Certifies::engine), rule.certifies == Certifies::engine) << rule.id;
      continue;
    }
    of_both.insert(rule.id);
    EXPECT_EQ(rule.certifies, Certifies::driver) << rule.id;
    EXPECT_NE(rule.layers.find('E'), std::string_view::npos) << rule.id;
    for (const auto name : profile_names()) {
      const Profile profile = *built_in_profile(name);
      const bool decides = profile.decider == Decider::engine;
      const bool counts = rule.id != "RETRY-1" || profile.counter == Counter::failures;
      EXPECT_EQ(applies(rule, profile, Certifies::engine), decides && counts) << rule.id << name;
      if (std::ranges::count(terms_of(rule), "decider=store") > 0) {
        EXPECT_NE(applies(rule, profile) && decides, true) << rule.id << name;
      }
    }
  }
  EXPECT_EQ(of_both, (std::set<std::string_view>{"RETRY-1", "RETRY-2", "RETRY-3", "RETRY-4",
                                                 "RETRY-5", "RETRY-6", "RETRY-13", "BACK-2",
                                                 "BACK-4", "BACK-5", "DLQ-1", "DLQ-2"}));
}

// A permission is nobody's to break; a promise about a driver must be visible at a driver.
TEST(Rules, AreCertifiedForThoseWhoCanKeepThem) {
  for (const Rule& rule : rules()) {
    if (rule.kind == Kind::permission) {
      EXPECT_EQ(rule.certifies, Certifies::harness) << rule.id;
      EXPECT_NE(rule.strength, Strength::must) << rule.id;
    } else {
      EXPECT_NE(rule.strength, Strength::may) << rule.id;
    }
    const bool decided_by_store = std::ranges::count(terms_of(rule), "decider=store") > 0 ||
                                  std::ranges::count(terms_of(rule), "expiry_counts=yes") > 0;
    if (rule.certifies == Certifies::driver && rule.id != "DLQ-2") {
      EXPECT_TRUE(rule.layers.find_first_of("DA") != std::string_view::npos || decided_by_store)
          << rule.id;
    }
  }
}

TEST(Rules, BelongToTheLowestLevelThatCanTriggerThem) {
  const auto driver_rules_of = [](Level level) {
    std::set<std::string_view> ids;
    for (const Rule& rule : rules())
      if (rule.level == level && rule.certifies == Certifies::driver) ids.insert(rule.id);
    return ids;
  };
  using Ids = std::set<std::string_view>;
  EXPECT_EQ(driver_rules_of(Level::concurrency), (Ids{"CLAIM-1", "IDEMP-10", "XLEASE-3"}));
  EXPECT_EQ(driver_rules_of(Level::chaos), (Ids{"DUR-7"}));
  EXPECT_EQ(driver_rules_of(Level::durability), (Ids{"DUR-1", "DUR-4", "DUR-6"}));
}

std::string profiles_promising(std::string_view id) {
  const Rule* rule = find_rule(id);
  if (rule == nullptr) return "no such rule";
  std::string names;
  for (const auto name : profile_names())
    if (applies(*rule, *built_in_profile(name)))
      names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

TEST(Applies, FollowsTheProfile) {
  EXPECT_EQ(profiles_promising("ACK-1"), "reference taskharbor trace upnext weave");
  EXPECT_EQ(profiles_promising("FENCE-3"), "reference taskharbor");
  EXPECT_EQ(profiles_promising("FENCE-7"), "trace");
  EXPECT_EQ(profiles_promising("FENCE-6"), "reference weave");
  EXPECT_EQ(profiles_promising("RETRY-5"), "trace weave");
  EXPECT_EQ(profiles_promising("RETRY-7"), "reference taskharbor upnext");
  EXPECT_EQ(profiles_promising("RETRY-14"), "reference trace");
  EXPECT_EQ(profiles_promising("IDEMP-1"), "reference taskharbor");
  EXPECT_EQ(profiles_promising("IDEMP-8"), "upnext");
  EXPECT_EQ(profiles_promising("IDEMP-10"), "reference taskharbor upnext");
  EXPECT_EQ(profiles_promising("DLQ-5"), "reference taskharbor upnext");
  EXPECT_EQ(profiles_promising("ORDER-2"), "reference weave");
  EXPECT_EQ(profiles_promising("CANCEL-1"), "reference trace upnext");
  EXPECT_EQ(profiles_promising("OUTBOX-1"), "");
}

TEST(Applies, ReadsConjunctionsOfAlternatives) {
  Rule rule = *find_rule("ACK-1");
  Profile profile;
  profile.capabilities = {"pause"};
  const auto applies_with = [&](std::string_view needs) {
    rule.needs = needs;
    return applies(rule, profile);
  };
  EXPECT_TRUE(applies_with(""));
  EXPECT_TRUE(applies_with("pause"));
  EXPECT_FALSE(applies_with("cancel"));
  EXPECT_TRUE(applies_with("cancel | pause"));
  EXPECT_TRUE(applies_with("idem!=none & pause"));
  EXPECT_FALSE(applies_with("pause & cancel"));
  EXPECT_TRUE(applies_with("pause & cancel | order=fifo"));
  EXPECT_FALSE(applies_with("cancel | pause & order!=fifo"));
  EXPECT_TRUE(applies_with("cancel|pause&order=fifo"));
}

TEST(Applies, AsksNoMemoryOfAStoreThatForgetsDoneJobsAtOnce) {
  for (const auto name : {"reference", "upnext"}) {
    Profile profile = *built_in_profile(name);
    for (const std::optional<Duration> kept : {std::optional<Duration>(), {Duration{1}}}) {
      profile.done_retention = kept;
      EXPECT_TRUE(applies(*find_rule("ACK-2"), profile)) << name;
      EXPECT_TRUE(applies(*find_rule("AVAIL-2"), profile)) << name;
    }
    profile.done_retention = Duration{0};
    EXPECT_FALSE(applies(*find_rule("ACK-2"), profile)) << name;
    // Only the reference can also tell that an enqueue is made again.
    EXPECT_EQ(applies(*find_rule("AVAIL-2"), profile), std::string_view(name) == "reference");
  }
}

TEST(AppliesDeathTest, DiesOfATermThatMeansNothing) {
  Rule rule = *find_rule("ACK-1");
  for (const auto needs : {"flying", "order=lifo", "colour!=red"}) {
    rule.needs = needs;
    EXPECT_DEATH(applies(rule, Profile{}), "rules.cpp") << needs;
  }
}

TEST(FindRule, FindsExactIdsOnly) {
  ASSERT_NE(find_rule("FENCE-2"), nullptr);
  EXPECT_EQ(find_rule("FENCE-2")->id, "FENCE-2");
  EXPECT_EQ(find_rule("FENCE-12"), nullptr);
  EXPECT_EQ(find_rule("fence-2"), nullptr);
  EXPECT_EQ(find_rule("XPUB-1"), nullptr);
}

TEST(LevelFrom, ReadsTheNamesOfAllLevels) {
  for (const Level level : {Level::contract, Level::concurrency, Level::chaos, Level::durability})
    EXPECT_EQ(level_from(name_of(level)), level);
  EXPECT_EQ(level_from("paranoia"), std::nullopt);
}

}  // namespace
}  // namespace assay
