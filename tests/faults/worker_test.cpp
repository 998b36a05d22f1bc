// The faults of workers, on processes that are really there.
#include <gtest/gtest.h>

#include "faults/worker/detail/processes.h"
#include "tests/faults/around.h"

namespace assay::faults_test {
namespace {

using Asked = std::vector<std::string>;

const std::vector<std::string> idle{"sh", "-c", "echo here; exec sleep 600"};
// Says good-bye when it is asked to end.
const std::vector<std::string> polite{
    "sh", "-c", "trap 'exit 7' TERM; echo here; while :; do sleep 0.01; done"};

TEST(KillWorker, EndsItsProcessAtOnceAndNobodyElses) {
  Around around;
  around.program = polite;
  const int other = around.living(1).pid();
  const auto kill = fault("kill_worker", 0, around);
  ASSERT_TRUE(kill->begin().ok());
  EXPECT_EQ(*kill->proof(), "its process was killed by signal 9");
  ASSERT_EQ(around.dead().size(), 1u);
  EXPECT_EQ(around.dead()[0]->ending(0), "was killed by signal 9");
  EXPECT_FALSE(around.living(1).ending(0));
  EXPECT_EQ(around.living(1).pid(), other);
  EXPECT_EQ(around.asked, (Asked{"doom 0", "lose 0"}));
}

TEST(KillWorker, DropsTheSessionOfAClientWithoutAProcess) {
  Around around;
  const auto kill = fault("kill_worker", 1, around);
  ASSERT_TRUE(kill->begin().ok());
  EXPECT_EQ(around.asked, (Asked{"doom 1", "lose 1"}));
  EXPECT_NE(kill->proof()->find("its session was dropped"), std::string::npos);
}

TEST(StopWorker, LetsItEndAsItLikes) {
  Around around;
  around.program = polite;
  const auto stop = fault("stop_worker", 0, around);
  ASSERT_TRUE(stop->begin().ok());
  EXPECT_EQ(*stop->proof(), "its process ended with status 7");
  EXPECT_EQ(around.asked, (Asked{"doom 0", "lose 0"}));
}

TEST(PauseWorker, StopsItsProcessAndItsStepsUntilItEnds) {
  Around around;
  around.program = idle;
  const int pid = around.living(0).pid();
  const auto pause = fault("pause_worker", 0, around);
  ASSERT_TRUE(pause->begin().ok());
  EXPECT_EQ(*pause->proof(), "its process is stopped");
  EXPECT_EQ(faults::state_of(pid), 'T');
  EXPECT_EQ(around.asked, (Asked{"stall 0"}));
  ASSERT_TRUE(pause->end().ok());
  ASSERT_TRUE(pause->end().ok());
  EXPECT_NE(faults::state_of(pid), 'T');
  EXPECT_FALSE(around.living(0).ending(0));
  EXPECT_EQ(around.asked, (Asked{"stall 0", "go on 0"}));
}

TEST(PauseWorker, EndsWithItsFault) {
  Around around;
  around.program = idle;
  const int pid = around.living(0).pid();
  {
    const auto pause = fault("pause_worker", 0, around);
    ASSERT_TRUE(pause->begin().ok());
    ASSERT_TRUE(pause->proof().ok());
  }
  EXPECT_NE(faults::state_of(pid), 'T');
}

TEST(CrashLoop, KillsOneProcessAfterTheOther) {
  Around around;
  around.program = idle;
  const auto crashes = fault("crash_loop", 0, around, {{"times", 3}});
  ASSERT_TRUE(crashes->begin().ok());
  EXPECT_EQ(*crashes->proof(), "3 times over, its process was killed by signal 9");
  ASSERT_EQ(around.dead().size(), 3u);
  for (const auto& process : around.dead()) EXPECT_EQ(process->ending(0), "was killed by signal 9");
}

}  // namespace
}  // namespace assay::faults_test
