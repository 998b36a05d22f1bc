// The gauntlet: every mutant is certified, and convicted of the rules that it was written for, with
// a story, a plan that a person can follow, and a token that replays.
#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/mutants/all.h"
#include "harness/run/parts.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay {

// For what gtest says of the one that was not convicted.
static void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

namespace {

// Only the rules it is accused of: shrinking a conviction costs more than finding it. The budget is
// out of reach, so that nothing depends on how fast we are.
CertifyOptions options_for(const Mutant& mutant, const std::string& scratch) {
  CertifyOptions options;
  options.driver = "mutant:" + std::string(mutant.name);
  options.profile = built_in_profile(mutant.profile).value();
  options.seed = 20'300'101;
  if (mutant.is_racy()) options.level = Level::concurrency;
  for (const auto rule : mutant.rules)
    options.level = std::max(options.level, find_rule(rule)->level);
  options.rules.assign(mutant.rules.begin(), mutant.rules.end());
  options.cases = mutant.is_racy() ? 480 : 20;
  options.budget_seconds = 1e9;
  options.shrink_runs = 300;
  options.scratch = scratch;
  return options;
}

// Jitter shows only in many equal failures; where a token is not checked, a handful of steps shows
// it.
std::size_t most_steps(std::string_view rule) {
  if (rule == "BACK-5") return 60;
  return rule.starts_with("FENCE-") ? 8 : 12;
}

void expect_repeatable(const RuleReport& entry, const DriverInfo& driver,
                       const std::string& scratch) {
  const auto token = decode_token(entry.token);
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_EQ(token->rule, entry.id);
  const ReplayResult again = replay(*token, driver, built_in_parts(), {std::nullopt, scratch});
  EXPECT_TRUE(again.match) << again.divergence;
  EXPECT_TRUE(again.convicted);
  EXPECT_FALSE(again.trouble) << *again.trouble;
}

class Gauntlet : public ::testing::TestWithParam<Mutant> {};

TEST_P(Gauntlet, Convicts) {
  const Mutant& mutant = GetParam();
  const DriverInfo driver = mutant.driver();
  const lite_test::TempFolder scratch;
  CertifyListener silent;
  const Report report =
      certify(driver, options_for(mutant, scratch.path()), built_in_parts(), silent);
  EXPECT_EQ(report.exit_status, 1);
  for (const auto rule : mutant.rules) {
    const auto entry = std::ranges::find(report.rules, rule, &RuleReport::id);
    ASSERT_TRUE(entry != report.rules.end()) << rule;
    ASSERT_EQ(name_of(entry->verdict), "FAIL") << rule << ": " << entry->reason;
    EXPECT_NE(entry->story.find("1. "), std::string::npos) << entry->story;
    if (mutant.is_racy()) {
      // Of a race that was found by a schedule: it is there every time.
      const int replays = rule == mutant.rules.front() ? 100 : 1;
      EXPECT_TRUE(entry->plan->schedule) << entry->reason;
      EXPECT_LE(switches(entry->plan->schedule->choices), 4U) << entry->reason;
      for (int i = 0; i < replays; ++i) expect_repeatable(*entry, driver, scratch.path());
    }
    EXPECT_NE(entry->reason.find("shrunk from"), std::string::npos) << entry->reason;
    EXPECT_EQ(entry->reason.find("not deterministic"), std::string::npos) << entry->reason;
    if (rule != mutant.rules.front()) continue;
    EXPECT_LE(entry->plan->steps.size(), most_steps(rule)) << entry->story;
    expect_repeatable(*entry, driver, scratch.path());
  }
}

// Those that race in a store take long to certify; they are convicted in races_test.cpp, and so are
// those that a death breaks.
std::vector<Mutant> quick_ones() {
  std::vector<Mutant> quick;
  for (const Mutant& mutant : all_mutants())
    if (!mutant.is_broken_by_death && (!mutant.is_racy() || mutant.subject == "memory"))
      quick.push_back(mutant);
  return quick;
}

INSTANTIATE_TEST_SUITE_P(Mutants, Gauntlet, ::testing::ValuesIn(quick_ones()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace

}  // namespace assay
