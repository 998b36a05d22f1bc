// The races: each racy mutant is convicted by exploring the scenario that brings its clients
// together, from a seed, with few switches, and by its token again each time; and those that a
// client's death breaks, by a sweep.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "drivers/mutants/all.h"
#include "harness/backend/backend.h"
#include "harness/cli/scratch.h"
#include "harness/judge/property.h"
#include "harness/run/explore.h"
#include "harness/run/parts.h"
#include "harness/run/sweep.h"

namespace assay {

// For what gtest says of the one that was not convicted.
static void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

namespace {

const Scenario& scenario_named(std::string_view name) {
  return *std::ranges::find(built_in_parts().scenarios, name, &Scenario::name);
}

std::string_view id_of(const HuntedRule& entry) { return entry.report.id; }

class Races : public testing::TestWithParam<Mutant> {
 protected:
  static void SetUpTestSuite() {
    auto made = cli::Scratch::make();
    ASSERT_TRUE(made.ok());
    scratch_ = std::move(made).value();
  }
  static void TearDownTestSuite() {
    servers_.clear();
    scratch_.reset();
  }

  // One for all; null where it is not installed.
  static Backend* server_for(const std::string& kind) {
    if (!servers_.contains(kind)) {
      auto started = start_backend(kind, {.kind = BackendKind::native, .scratch = scratch()});
      servers_[kind] = started.ok() ? std::move(started).value() : nullptr;
    }
    return servers_[kind].get();
  }
  static const std::string& scratch() { return scratch_->path(); }

  void expect_found(const Mutant& mutant, std::string_view race, std::string_view rule,
                    const Parts& parts);

  // The rules that are judged with the one it was written for: every other one would be shrunk,
  // too.
  static Parts parts_for(const Mutant& mutant) {
    Parts parts = built_in_parts();
    const auto family = std::ranges::find_if(parts.properties, [&](const Property& property) {
      return std::ranges::find(property.rules, mutant.rules.front()) != property.rules.end();
    });
    parts.properties = {family, 1};
    return parts;
  }

 private:
  static inline std::unique_ptr<cli::Scratch> scratch_;
  static inline std::map<std::string, std::unique_ptr<Backend>> servers_;
};

void Races::expect_found(const Mutant& mutant, std::string_view race, std::string_view rule,
                         const Parts& parts) {
  const DriverInfo driver = mutant.driver();
  ExploreOptions options;
  if (!driver.backend.empty()) {
    const Backend* server = server_for(driver.backend);
    if (!server) GTEST_SKIP() << "no " << driver.backend << " is installed";
    options.driver_url = server->url();
  }
  options.driver = "mutant:" + std::string(mutant.name);
  options.profile = built_in_profile(mutant.profile).value();
  options.seed = 20'300'101;
  options.plan = scenario_named(race).plan(options.profile);
  options.schedules = 1'000;
  options.seconds = 1e9;
  options.shrink_runs = 200;
  options.shrink_seconds = 1e9;
  options.scratch = scratch();
  const ExploreReport report = explore(driver, options, parts, {});
  ASSERT_FALSE(report.own_trouble) << *report.own_trouble;
  ASSERT_FALSE(report.driver_trouble) << *report.driver_trouble;
  EXPECT_EQ(report.lost_sight, 0U);
  EXPECT_NE(report.interleaving, Interleaving::calls) << report.why_not_closer;
  const auto entry = std::ranges::find(report.rules, rule, id_of);
  ASSERT_TRUE(entry != report.rules.end());
  EXPECT_LE(switches(entry->report.plan->schedule->choices), 6U) << entry->report.story;

  const auto token = decode_token(entry->report.token);
  ASSERT_TRUE(token.ok()) << token.error().message;
  // A hundred are counted by tests/bench/races_bench.cpp.
  for (int i = 0; i < 5; ++i) {
    const ReplayResult again = replay(*token, driver, parts, {options.driver_url, scratch()});
    ASSERT_FALSE(again.trouble) << *again.trouble;
    ASSERT_TRUE(again.match) << again.divergence;
    ASSERT_TRUE(again.convicted) << entry->report.story;
  }
}

TEST_P(Races, AreFoundFromASeedAndFoundAgain) {
  const Mutant& mutant = GetParam();
  expect_found(mutant, mutant.race, mutant.rules.front(), parts_for(mutant));
}

class RacesOfHeartbeats : public Races {};

TEST_P(RacesOfHeartbeats, AreFoundWhereTheLeaseEndsMeanwhile) {
  expect_found(GetParam(), "a_heartbeat_meets_the_heir", "FENCE-8", built_in_parts());
}

// Not those of servers, which take long to certify.
class RacesInThisProcess : public Races {};

TEST_P(RacesInThisProcess, AreAllThatIsWrong) {
  const Mutant& mutant = GetParam();
  const DriverInfo driver = mutant.driver();
  CertifyOptions options;
  options.driver = "mutant:" + std::string(mutant.name);
  options.profile = built_in_profile(mutant.profile).value();
  options.seed = 20'300'101;
  options.cases = 1;
  options.budget_seconds = 1e9;
  options.scratch = scratch();
  CertifyListener silent;
  const Report report = certify(driver, options, built_in_parts(), silent);
  for (const RuleReport& rule : report.rules)
    EXPECT_NE(name_of(rule.verdict), "FAIL") << rule.id << ": " << rule.story;
}

// Each call that changes something loses its client at each of its round trips.
class Deaths : public Races {};

TEST_P(Deaths, AreFoundByASweepAndFoundAgain) {
  const Mutant& mutant = GetParam();
  const DriverInfo driver = mutant.driver();
  const Backend* server = server_for(driver.backend);
  if (!server) GTEST_SKIP() << "no " << driver.backend << " is installed";
  SweepOptions options;
  options.driver = "mutant:" + std::string(mutant.name);
  options.profile = built_in_profile(mutant.profile).value();
  options.seed = 20'300'101;
  options.plan = scenario_named("every_operation_is_made_once").plan(options.profile);
  options.shrink_runs = 200;
  options.shrink_seconds = 1e9;
  options.scratch = scratch();
  options.driver_url = server->url();
  const SweepReport report = sweep(driver, options, built_in_parts(), {});
  ASSERT_FALSE(report.own_trouble) << *report.own_trouble;
  ASSERT_FALSE(report.driver_trouble) << *report.driver_trouble;
  EXPECT_EQ(report.interleaving, Interleaving::trips) << report.why_not_closer;
  const auto entry = std::ranges::find(report.rules, mutant.rules.front(), id_of);
  ASSERT_TRUE(entry != report.rules.end());
  EXPECT_TRUE(has_cuts(*entry->report.plan)) << entry->report.story;
  EXPECT_LE(entry->report.plan->steps.size(), 6u) << entry->report.story;
  const auto token = decode_token(entry->report.token);
  ASSERT_TRUE(token.ok()) << token.error().message;
  for (int i = 0; i < 5; ++i) {
    const ReplayResult again =
        replay(*token, driver, built_in_parts(), {options.driver_url, scratch()});
    ASSERT_FALSE(again.trouble) << *again.trouble;
    ASSERT_TRUE(again.match) << again.divergence;
    ASSERT_TRUE(again.convicted) << entry->report.story;
  }
}

std::vector<Mutant> broken_by_death() {
  std::vector<Mutant> all;
  for (const Mutant& mutant : all_mutants())
    if (mutant.is_broken_by_death) all.push_back(mutant);
  return all;
}

template <class Is>
std::vector<Mutant> racy_ones(Is is) {
  std::vector<Mutant> racy;
  for (const Mutant& mutant : all_mutants())
    if (mutant.is_racy() && is(mutant)) racy.push_back(mutant);
  return racy;
}

std::string name_of_test(const testing::TestParamInfo<Mutant>& test) {
  return std::string(test.param.name);
}

INSTANTIATE_TEST_SUITE_P(Mutants, Deaths, testing::ValuesIn(broken_by_death()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Mutants, Races,
                         testing::ValuesIn(racy_ones([](const Mutant&) { return true; })),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Mutants, RacesOfHeartbeats,
                         testing::ValuesIn(racy_ones([](const Mutant& mutant) {
                           return mutant.name.ends_with("_heartbeat_checked_then_written");
                         })),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Mutants, RacesInThisProcess,
                         testing::ValuesIn(racy_ones([](const Mutant& mutant) {
                           return mutant.driver().backend.empty();
                         })),
                         name_of_test);

}  // namespace
}  // namespace assay
