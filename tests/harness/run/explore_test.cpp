// Exploration on the drivers that ship: what is right survives every schedule, what is wrong is
// found, and found again.
#include "harness/run/explore.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/all.h"
#include "drivers/mutants/all.h"
#include "harness/history/jsonl.h"
#include "harness/plan/build.h"
#include "harness/run/detail/needs.h"
#include "harness/run/parts.h"
#include "harness/run/run.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

const Scenario& scenario_named(std::string_view name) {
  return *std::ranges::find(built_in_parts().scenarios, name, &Scenario::name);
}

DriverInfo driver_called(std::string_view name) {
  for (const DriverInfo& info : all_drivers())
    if (info.name == name) return info;
  for (const Mutant& mutant : all_mutants())
    if (mutant.name == name) return mutant.driver();
  ADD_FAILURE() << "no driver is called " << name;
  return {};
}

class Exploring : public testing::Test {
 protected:
  ExploreReport explored(const std::string& driver, const Plan& plan, ExploreBy by,
                         std::uint64_t schedules, bool go_on = false,
                         const std::string& profile = "reference", int jobs = 1) {
    ExploreOptions options;
    options.driver = driver;
    options.profile = *built_in_profile(profile);
    options.seed = 42;
    options.plan = plan;
    options.by = by;
    options.schedules = schedules;
    options.seconds = 1e9;
    options.go_on = go_on;
    options.jobs = jobs;
    options.scratch = scratch.path();
    return explore(driver_called(driver), options, built_in_parts(), {});
  }
  // Two workers, one job: who claims it settles it.
  static Plan small(int workers = 2) {
    PlanBuilder p(*built_in_profile("reference"), "small");
    const JobRef job = p.enqueue();
    std::vector<int> clients{p.w1, p.w2};
    if (workers > 2) clients.push_back(p.client("w3", Role::worker));
    p.at_once([&] {
      for (const int client : clients) p.ack(client, p.claim(client, job, 10s));
    });
    return p.build();
  }

  lite_test::TempFolder scratch;
};

TEST_F(Exploring, ConvictsNothingOfADriverThatIsRightUnderAnyProfile) {
  for (const char* profile : {"reference", "taskharbor", "trace", "upnext", "weave"})
    for (const Scenario& scenario : built_in_parts().scenarios) {
      const Profile claimed = *built_in_profile(profile);
      if (scenario.level != Level::concurrency || !detail::meets(claimed, scenario.needs)) continue;
      const ExploreReport report =
          explored("memory", scenario.plan(claimed), ExploreBy::mix, 40, true, profile);
      EXPECT_EQ(report.violations, 0U)
          << profile << " " << scenario.name << " "
          << (report.rules.empty() ? "" : report.rules[0].report.story);
      EXPECT_FALSE(report.driver_trouble) << *report.driver_trouble;
      EXPECT_EQ(report.lost_sight, 0U);
    }
}

TEST_F(Exploring, SaysWhereThereIsNoOtherSchedule) {
  const ExploreReport report = explored("memory", small(), ExploreBy::exhaustive, 1'000'000);
  EXPECT_TRUE(report.every);
  EXPECT_EQ(report.violations, 0U);
  EXPECT_EQ(report.distinct, report.schedules);
  EXPECT_GT(report.schedules, 10U);
  EXPECT_EQ(exit_status_of(report), 0);
}

TEST_F(Exploring, EndsAtItsBoundAndSaysHowFarItCame) {
  const ExploreReport report = explored("memory", small(3), ExploreBy::exhaustive, 20);
  EXPECT_FALSE(report.every);
  EXPECT_EQ(report.schedules, 20U);
  EXPECT_LT(report.progress, 0.5);
}

TEST_F(Exploring, FindsARaceByEachStrategyAndItsTokenConvictsEachTime) {
  for (const ExploreBy by :
       {ExploreBy::random_walk, ExploreBy::pct, ExploreBy::mix, ExploreBy::exhaustive}) {
    const ExploreReport report = explored("claims_at_once_share_a_job", small(), by, 5'000);
    ASSERT_FALSE(report.rules.empty()) << name_of(by);
    EXPECT_EQ(exit_status_of(report), 1);
    const auto token = decode_token(report.rules.front().report.token);
    ASSERT_TRUE(token.ok());
    for (int i = 0; i < 100; ++i) {
      const ReplayResult again = replay(*token, driver_called("claims_at_once_share_a_job"),
                                        built_in_parts(), {{}, scratch.path()});
      ASSERT_TRUE(again.match) << again.divergence;
      ASSERT_TRUE(again.convicted);
    }
  }
}

TEST_F(Exploring, LeavesTheFewestSwitches) {
  const ExploreReport report =
      explored("claims_at_once_share_a_job", small(3), ExploreBy::random_walk, 5'000);
  ASSERT_FALSE(report.rules.empty());
  const RuleReport& shown = report.rules.front().report;
  ASSERT_TRUE(shown.plan && shown.plan->schedule);
  // One looks, the other comes in between, the first goes on.
  EXPECT_LE(switches(shown.plan->schedule->choices), 2U) << shown.reason;
  EXPECT_LE(shown.plan->clients.size(), 3U);
}

TEST_F(Exploring, OfSqliteIsTheSameEachTime) {
  const Plan plan = scenario_named("one_key_makes_one_job").plan(*built_in_profile("reference"));
  const auto once = [&](std::uint64_t seed) {
    Plan by = plan;
    by.schedule = {.kind = Schedule::Kind::random_walk, .seed = seed};
    ExploreOptions options;
    DriverInfo info = driver_called("sqlite");
    const auto carrier = thread_carrier();
    VirtualClock clock;
    auto driver = info.make({*built_in_profile("reference"), clock, 7, std::nullopt, scratch.path(),
                             "", &carrier->gates()});
    EXPECT_TRUE(driver.ok());
    const RunResult ran = run(by, **driver, "sqlite", {carrier.get(), info.interleaving});
    EXPECT_FALSE(ran.trouble) << ran.trouble->message;
    EXPECT_FALSE(ran.lost_sight);
    return std::pair(history_hash(ran.history), ran.moves);
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) EXPECT_EQ(once(seed), once(seed));
  EXPECT_NE(once(0).second, once(1).second);
}

TEST_F(Exploring, OfSqliteConvictsNothing) {
  for (const char* name : {"one_job_has_one_claimer", "two_settles_of_one_claim_meet"}) {
    const ExploreReport report =
        explored("sqlite", scenario_named(name).plan(*built_in_profile("reference")),
                 ExploreBy::mix, 20, true);
    EXPECT_EQ(report.violations, 0U) << name;
    EXPECT_FALSE(report.driver_trouble) << *report.driver_trouble;
    EXPECT_GT(report.distinct, report.schedules / 2);
  }
}

TEST_F(Exploring, FindsTheSameHoweverManySchedulesRunAtATime) {
  for (const char* driver : {"settle_checked_then_written", "sqlite_settle_checked_then_written"}) {
    const Plan plan =
        scenario_named("two_settles_of_one_claim_meet").plan(*built_in_profile("reference"));
    const ExploreReport one = explored(driver, plan, ExploreBy::mix, 60, true);
    const ExploreReport four = explored(driver, plan, ExploreBy::mix, 60, true, "reference", 4);
    ASSERT_FALSE(one.rules.empty()) << driver;
    ASSERT_EQ(four.rules.size(), one.rules.size());
    EXPECT_EQ(four.schedules, one.schedules);
    EXPECT_EQ(four.distinct, one.distinct);
    EXPECT_EQ(four.violations, one.violations);
    EXPECT_EQ(four.moves, one.moves);
    for (std::size_t i = 0; i < one.rules.size(); ++i) {
      EXPECT_EQ(four.rules[i].first, one.rules[i].first);
      EXPECT_EQ(four.rules[i].violations, one.rules[i].violations);
      EXPECT_EQ(four.rules[i].report.token, one.rules[i].report.token);
    }
  }
}

TEST_F(Exploring, StopsAtTheFirstConvictionHoweverManySchedulesRunAtATime) {
  const Plan plan =
      scenario_named("two_settles_of_one_claim_meet").plan(*built_in_profile("reference"));
  const ExploreReport report = explored("settle_checked_then_written", plan, ExploreBy::mix,
                                        1'000'000, false, "reference", 4);
  EXPECT_EQ(report.violations, 1U);
  ASSERT_FALSE(report.rules.empty());
  EXPECT_EQ(report.rules.front().first, report.schedules);
}

// A lease that ends while its holder is about to settle: the clock is one more that moves.
TEST_F(Exploring, MovesTheClockBetweenCalls) {
  PlanBuilder p(*built_in_profile("reference"), "clock");
  const JobRef job = p.enqueue();
  const ClaimRef held = p.claim(p.w1, job, 1s);
  p.at_once([&] {
    p.ack(p.w1, held);
    p.advance_to_expiry(held, p.profile().reclaim_lag_max);
  });
  const Plan plan = p.build();
  ASSERT_TRUE(is_free(plan));
  const ExploreReport report = explored("memory", plan, ExploreBy::exhaustive, 1'000, true);
  EXPECT_TRUE(report.every);
  EXPECT_EQ(report.violations, 0U)
      << (report.rules.empty() ? "" : report.rules.front().report.story);
  EXPECT_EQ(report.clients, 2U);
  EXPECT_GE(report.distinct, 3U);
}

}  // namespace
}  // namespace assay
