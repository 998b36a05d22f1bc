// step_store_clock, in a run: what time it is for everybody, and in the history.
#include <gtest/gtest.h>

#include "faults/all.h"
#include "harness/plan/build.h"
#include "harness/run/run.h"
#include "tests/fakes/scripted_driver.h"

namespace assay {
namespace {

class StepStoreClock : public testing::Test {
 protected:
  StepStoreClock() {
    driver_.claims = *built_in_profile("reference");
    driver_.claims.clock = ClockKnob::store;
    driver_.claims.capabilities = {"virtual_time"};
    driver_.script = [this](const std::string&, Instant, const Request&) {
      read_.push_back((driver_.clock - run_epoch).count());
      return Result<Response>(Enqueued{"j", false});
    };
  }

  RunResult ran() {
    Stage stage;
    stage.faults = all_faults();
    return run(plan_, driver_, "scripted", stage);
  }

  void enqueue(int client = 0, bool free = false) {
    Step step{.kind = StepKind::enqueue, .client = client, .slot = 9, .queues = {"q"}};
    step.free = free;
    plan_.steps.push_back(step);
  }
  void wait(Duration time) {
    plan_.steps.push_back({.kind = StepKind::advance, .when = from_now(time)});
  }
  void step_by(std::int64_t by_ms, bool free = false) {
    Step begin{.kind = StepKind::begin_fault, .slot = 0};
    begin.fault = FaultSpec{"step_store_clock", true, {{"by_ms", by_ms}}};
    begin.free = free;
    plan_.steps.push_back(begin);
  }
  void end() { plan_.steps.push_back({.kind = StepKind::end_fault, .slot = 0}); }

  std::vector<std::int64_t> moves_in(const History& history) const {
    std::vector<std::int64_t> moves;
    for (const Event& event : history.events)
      if (const auto* moved = std::get_if<ClockEvent>(&event))
        moves.push_back((moved->now - run_epoch).count());
    return moves;
  }

  fakes::ScriptedDriver driver_;
  std::vector<std::int64_t> read_;  // the store's clock, when it was called
  Plan plan_{"stepped", {{"w1", Role::worker}, {"w2", Role::worker}}, {}};
};

TEST_F(StepStoreClock, GoesBackAndForthByAsMuchAndTimePassesMeanwhile) {
  wait(Duration{10'000});
  enqueue();
  step_by(-7'000);
  enqueue();
  wait(Duration{500});
  enqueue();
  end();
  enqueue();
  const RunResult result = ran();
  EXPECT_FALSE(result.trouble) << result.trouble->message;
  EXPECT_FALSE(result.void_because) << *result.void_because;
  EXPECT_EQ(read_, (std::vector<std::int64_t>{10'000, 3'000, 3'500, 10'500}));
  EXPECT_EQ(moves_in(result.history), (std::vector<std::int64_t>{10'000, 3'000, 3'500, 10'500}));
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].proof, "the store reads a time that is 7000 ms earlier");
}

TEST_F(StepStoreClock, IsNotProvenWhereTheStoreReadsAnotherTime) {
  driver_.clock_slips = Duration{3};
  step_by(-7'000);
  enqueue();
  const RunResult result = ran();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_FALSE(result.faults[0].is_proven());
  EXPECT_TRUE(result.void_because);
}

TEST_F(StepStoreClock, IsNotToBeHadWhereTheDriverRefuses) {
  driver_.advance_answer = invalid("by_ms must not be negative");
  step_by(-7'000);
  enqueue();
  const RunResult result = ran();
  EXPECT_FALSE(result.trouble);
  ASSERT_TRUE(result.void_because);
  EXPECT_NE(result.void_because->find("cannot be set back"), std::string::npos)
      << *result.void_because;
}

TEST_F(StepStoreClock, IsNotToBeHadWhereCallersBringTheirOwnClock) {
  driver_.claims.clock = ClockKnob::caller;
  step_by(-7'000);
  enqueue();
  EXPECT_TRUE(ran().void_because);
}

TEST_F(StepStoreClock, IsNotToBeHadWhileClientsMove) {
  enqueue(0, true);
  step_by(-7'000, true);
  enqueue(1, true);
  const RunResult result = ran();
  ASSERT_TRUE(result.void_because);
  EXPECT_NE(result.void_because->find("while no client moves"), std::string::npos)
      << *result.void_because;
}

}  // namespace
}  // namespace assay
