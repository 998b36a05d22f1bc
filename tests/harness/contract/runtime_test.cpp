#include "harness/contract/runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

namespace assay {
namespace {

using namespace std::chrono_literals;

class RealRuntimeTest : public testing::Test {
 protected:
  std::unique_ptr<Runtime> runtime = real_runtime();
  std::unique_ptr<Monitor> monitor = runtime->monitor("a monitor");
  Instant in(Duration length) { return runtime->clock().now() + length; }
};

TEST_F(RealRuntimeTest, RunsATaskBesideItsStarter) {
  bool said = false;
  auto task = runtime->start("says", [&](std::stop_token) {
    const std::lock_guard lock(*monitor);
    said = true;
    monitor->notify_all();
  });
  const std::lock_guard lock(*monitor);
  while (!said) ASSERT_TRUE(monitor->wait_until(in(30s)));
}

TEST_F(RealRuntimeTest, TellsWhenTheTimeIsUp) {
  const std::lock_guard lock(*monitor);
  EXPECT_FALSE(monitor->wait_until(in(-1s)));
  const Instant deadline = in(20ms);
  while (monitor->wait_until(deadline)) {
  }
  EXPECT_GE(runtime->clock().now(), deadline);
}

TEST_F(RealRuntimeTest, WaitsForATaskAsLongAsTold) {
  std::atomic<bool> goes = false;
  auto task = runtime->start("waits", [&](std::stop_token) {
    const std::lock_guard lock(*monitor);
    while (!goes) monitor->wait_until(std::nullopt);
  });
  EXPECT_FALSE(task->join_until(in(20ms)));
  {
    const std::lock_guard lock(*monitor);
    goes = true;
    monitor->notify_one();
  }
  EXPECT_TRUE(task->join_until(in(30s)));
  EXPECT_TRUE(task->join_until(std::nullopt));
}

TEST_F(RealRuntimeTest, StopsAndEndsATaskThatGoes) {
  std::atomic<bool> ended = false;
  Clock& clock = runtime->clock();
  {
    const auto task = runtime->start("sleeps", [&](std::stop_token stop) {
      clock.sleep_until(clock.now() + 24h, stop);
      ended = true;
    });
  }
  EXPECT_TRUE(ended);
}

TEST_F(RealRuntimeTest, LeavesATaskThatWasLetGoToItself) {
  struct Shared {
    std::unique_ptr<Monitor> monitor;
    bool goes = false, ended = false;
  };
  const auto shared = std::make_shared<Shared>();
  shared->monitor = std::move(monitor);
  {
    const auto task = runtime->start("stays", [shared](std::stop_token) {
      const std::lock_guard lock(*shared->monitor);
      while (!shared->goes) shared->monitor->wait_until(std::nullopt);
      shared->ended = true;
      shared->monitor->notify_all();
    });
    task->let_go();
  }
  runtime.reset();
  const std::lock_guard lock(*shared->monitor);
  shared->goes = true;
  shared->monitor->notify_all();
  while (!shared->ended) shared->monitor->wait_until(std::nullopt);
}

}  // namespace
}  // namespace assay
