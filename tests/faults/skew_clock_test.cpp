// skew_clock, in a run: what time the calls of each client carry.
#include <gtest/gtest.h>

#include "faults/all.h"
#include "harness/plan/build.h"
#include "harness/run/run.h"
#include "tests/fakes/scripted_driver.h"

namespace assay {
namespace {

class SkewClock : public testing::Test {
 protected:
  SkewClock() {
    driver_.claims = *built_in_profile("reference");
    driver_.claims.clock = ClockKnob::caller;
    driver_.script = [this](const std::string& session, Instant now, const Request&) {
      told_.push_back({session, (now - run_epoch).count()});
      return Result<Response>(Enqueued{"j", false});
    };
  }

  RunResult ran(const Plan& plan) {
    Stage stage;
    stage.faults = all_faults();
    return run(plan, driver_, "scripted", stage);
  }

  void enqueue(Plan& plan, int client) const {
    plan.steps.push_back({.kind = StepKind::enqueue, .client = client, .slot = 9, .queues = {"q"}});
  }
  void wait(Plan& plan, Duration time) const {
    plan.steps.push_back({.kind = StepKind::advance, .when = from_now(time)});
  }
  void skew(Plan& plan, std::map<std::string, std::int64_t> with) const {
    Step begin{.kind = StepKind::begin_fault, .client = 0, .slot = 0};
    begin.fault = FaultSpec{"skew_clock", false, std::move(with)};
    plan.steps.push_back(begin);
  }

  using Told = std::vector<std::pair<std::string, std::int64_t>>;

  fakes::ScriptedDriver driver_;
  Told told_;  // which client's call came with which time, from the beginning of the run
  Plan plan_{"skewed", {{"w1", Role::worker}, {"w2", Role::worker}}, {}};
};

TEST_F(SkewClock, IsOfOneClientAndUntilItEnds) {
  skew(plan_, {{"offset_ms", -700}});
  enqueue(plan_, 0);
  enqueue(plan_, 1);
  plan_.steps.push_back({.kind = StepKind::end_fault, .slot = 0});
  enqueue(plan_, 0);
  const RunResult result = ran(plan_);
  EXPECT_EQ(told_, (Told{{"w1", -700}, {"w2", 0}, {"w1", 0}}));
  EXPECT_FALSE(result.void_because) << *result.void_because;
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].proof, "the store was told a time that is off by -700 ms");
}

TEST_F(SkewClock, DriftsFromTheMomentThatItBegins) {
  wait(plan_, Duration{1'000});
  skew(plan_, {{"offset_ms", 10}, {"drift_ppm", 500'000}});
  enqueue(plan_, 0);
  wait(plan_, Duration{2'000});
  enqueue(plan_, 0);
  enqueue(plan_, 1);
  EXPECT_FALSE(ran(plan_).void_because);
  EXPECT_EQ(told_, (Told{{"w1", 1'010}, {"w1", 4'010}, {"w2", 3'000}}));
}

TEST_F(SkewClock, IsNotProvenWhereItsClientMakesNoCall) {
  skew(plan_, {});
  enqueue(plan_, 1);
  const RunResult result = ran(plan_);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_FALSE(result.faults[0].is_proven());
  EXPECT_TRUE(result.faults[0].met_nobody);
}

TEST_F(SkewClock, IsNotToBeHadWhereTheStoreHasAClockOfItsOwn) {
  driver_.claims.clock = ClockKnob::store;
  driver_.claims.capabilities = {"virtual_time"};
  skew(plan_, {});
  enqueue(plan_, 0);
  EXPECT_TRUE(ran(plan_).void_because);
}

}  // namespace
}  // namespace assay
