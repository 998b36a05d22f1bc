// The races: each racy mutant is convicted by exploring the scenario that brings its clients
// together, from a seed, with few switches, and by its token again each time.
#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/mutants/all.h"
#include "harness/cli/scratch.h"
#include "harness/run/explore.h"
#include "harness/run/parts.h"

namespace assay {

// For what gtest says of the one that was not convicted.
static void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

namespace {

const Scenario& scenario_named(std::string_view name) {
  return *std::ranges::find(built_in_parts().scenarios, name, &Scenario::name);
}

ExploreOptions options_for(const Mutant& mutant) {
  ExploreOptions options;
  options.driver = "mutant:" + std::string(mutant.name);
  options.profile = built_in_profile(mutant.profile).value();
  options.seed = 20'300'101;
  options.plan = scenario_named(mutant.race).plan(options.profile);
  options.schedules = 2'000;
  options.seconds = 1e9;
  options.shrink_runs = 300;
  return options;
}

std::string_view id_of(const ExploredRule& entry) { return entry.report.id; }

void expect_repeatable(const RuleReport& report, const DriverInfo& driver,
                       const std::string& scratch) {
  // A hundred are counted by tests/bench/races_bench.cpp.
  constexpr int replays = 10;
  const auto token = decode_token(report.token);
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_LE(switches(report.plan->schedule->choices), 4U) << report.story;
  for (int i = 0; i < replays; ++i) {
    const ReplayResult again = replay(*token, driver, built_in_parts(), {{}, scratch});
    ASSERT_FALSE(again.trouble) << *again.trouble;
    ASSERT_TRUE(again.match) << again.divergence;
    ASSERT_TRUE(again.convicted) << report.story;
  }
}

class Races : public testing::TestWithParam<Mutant> {};

TEST_P(Races, AreFoundFromASeedAndFoundAgain) {
  const Mutant& mutant = GetParam();
  const DriverInfo driver = mutant.driver();
  const auto scratch = cli::Scratch::make();
  ASSERT_TRUE(scratch.ok());
  ExploreOptions options = options_for(mutant);
  options.scratch = (*scratch)->path();
  const ExploreReport report = explore(driver, options, built_in_parts(), {});
  ASSERT_FALSE(report.own_trouble) << *report.own_trouble;
  ASSERT_FALSE(report.driver_trouble) << *report.driver_trouble;
  EXPECT_EQ(report.lost_sight, 0U);
  const auto entry = std::ranges::find(report.rules, mutant.rules.front(), id_of);
  ASSERT_TRUE(entry != report.rules.end());
  expect_repeatable(entry->report, driver, options.scratch);
}

std::vector<Mutant> in_this_process() {
  std::vector<Mutant> racy;
  for (const Mutant& mutant : all_mutants())
    if (mutant.is_racy() && mutant.driver().backend.empty()) racy.push_back(mutant);
  return racy;
}

INSTANTIATE_TEST_SUITE_P(InThisProcess, Races, testing::ValuesIn(in_this_process()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace assay
