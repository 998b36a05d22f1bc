#include "harness/run/detail/pace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "harness/contract/clock.h"

namespace assay::detail {
namespace {

using namespace std::chrono_literals;

TEST(Pace, LetsTheWorldWaitForStepsThatAreMade) {
  Pace pace({.of_world = 10min});
  constexpr int steps = 1'000;
  std::atomic<int> made = 0;
  const std::jthread client([&] {
    for (int i = 0; i < steps; ++i) {
      ++made;
      pace.step();
    }
  });
  pace.await(steps);
  EXPECT_EQ(made, steps);
}

TEST(Pace, LetsTheWorldGoOnWhereNobodyMakesAStep) {
  Pace pace;
  pace.step();
  const Stopwatch watch;
  pace.await(2);
  EXPECT_GE(watch.seconds(), 0.1);
}

TEST(Pace, HoldsAClientUntilTheWorldIsThere) {
  Pace pace({.of_clients = 10min});
  pace.world_is_at(3);
  pace.await_world(3);
  std::atomic<std::size_t> there = 3;
  const std::jthread world([&] {
    for (const std::size_t step : {std::size_t{4}, std::size_t{5}, Pace::never}) {
      there = step;
      pace.world_is_at(step);
    }
  });
  pace.await_world(5);
  EXPECT_GE(there, 5U);
  pace.await_world(1'000);
  EXPECT_EQ(there, Pace::never);
}

TEST(Pace, HoldsNobodyForLongByAWorldThatWaitsForHim) {
  Pace pace({.of_clients = 400ms});
  pace.world_is_at(0);
  const Stopwatch first;
  pace.await_world(1);
  EXPECT_GE(first.seconds(), 0.4);
  const Stopwatch next;
  for (int i = 0; i < 100; ++i) pace.await_world(1);
  EXPECT_LT(next.seconds(), 20);  // of 40
  pace.world_is_at(1);
  const Stopwatch then;
  pace.await_world(2);
  EXPECT_GE(then.seconds(), 0.4);
}

}  // namespace
}  // namespace assay::detail
