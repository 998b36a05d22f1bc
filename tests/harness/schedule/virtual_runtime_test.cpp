#include "harness/schedule/virtual_runtime.h"

#include <gtest/gtest.h>

#include <mutex>
#include <semaphore>
#include <set>

#include "drivers/all.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

class VirtualRuntimeOn : public testing::TestWithParam<const char*> {
 protected:
  VirtualSettings on(VirtualSettings settings = {}) {
    settings.fibers = GetParam() == std::string("fibers");
    return settings;
  }
  VirtualRun walk(std::uint64_t seed, const std::function<void(VirtualRuntime&)>& body,
                  VirtualSettings settings = {}) {
    RandomWalk strategy(seed);
    VirtualRuntime runtime(strategy, on(settings));
    return runtime.run([&] { body(runtime); });
  }
};

INSTANTIATE_TEST_SUITE_P(Carriers, VirtualRuntimeOn, testing::Values("threads", "fibers"),
                         [](const auto& info) { return info.param; });

TEST_P(VirtualRuntimeOn, LetsAnHourPassWhereNobodyCanGoOn) {
  Instant woke;
  const auto run = walk(1, [&](VirtualRuntime& runtime) {
    runtime.clock().sleep_until(run_epoch + 1h, {});
    woke = runtime.clock().now();
  });
  EXPECT_TRUE(run.is_whole()) << run.told();
  EXPECT_EQ(woke, run_epoch + 1h);
}

TEST_P(VirtualRuntimeOn, WakesSleepersInTheOrderOfTheirDeadlines) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Duration> woken;
    const auto run = walk(seed, [&](VirtualRuntime& runtime) {
      std::vector<std::unique_ptr<Task>> tasks;
      for (const Duration length : {30s, 10s, 20s})
        tasks.push_back(runtime.start("sleeper", [&, length](std::stop_token) {
          runtime.clock().sleep_until(run_epoch + length, {});
          woken.push_back(runtime.clock().now() - run_epoch);
        }));
      for (const auto& task : tasks) EXPECT_TRUE(task->join_until(std::nullopt));
    });
    ASSERT_TRUE(run.is_whole()) << run.told();
    EXPECT_EQ(woken, (std::vector<Duration>{10s, 20s, 30s}));
  }
}

TEST_P(VirtualRuntimeOn, EndsASleepWhenItIsAskedToStop) {
  walk(1, [&](VirtualRuntime& runtime) {
    const auto task = runtime.start("sleeper", [&](std::stop_token stop) {
      runtime.clock().sleep_until(run_epoch + 1h, stop);
      runtime.clock().sleep_until(run_epoch + 1h, stop);
      EXPECT_EQ(runtime.clock().now(), run_epoch + 1s);
    });
    runtime.clock().sleep_until(run_epoch + 1s, {});
    task->request_stop();
    EXPECT_TRUE(task->join_until(run_epoch + 2s));
  });
}

// A buffer of one that two fill and two empty.
std::vector<int> through_a_buffer(VirtualRuntime& runtime) {
  const auto monitor = runtime.monitor("the buffer");
  std::optional<int> buffer;
  std::vector<int> taken;
  std::vector<std::unique_ptr<Task>> tasks;
  for (const int first : {0, 10})
    tasks.push_back(runtime.start("fills", [&, first](std::stop_token) {
      for (int i = first; i < first + 5; ++i) {
        const std::lock_guard lock(*monitor);
        while (buffer) monitor->wait_until(std::nullopt);
        buffer = i;
        monitor->notify_all();
      }
    }));
  for (int i = 0; i < 2; ++i)
    tasks.push_back(runtime.start("empties", [&](std::stop_token) {
      for (int n = 0; n < 5; ++n) {
        const std::lock_guard lock(*monitor);
        while (!buffer) monitor->wait_until(std::nullopt);
        taken.push_back(*buffer);
        buffer.reset();
        monitor->notify_all();
      }
    }));
  for (const auto& task : tasks) EXPECT_TRUE(task->join_until(std::nullopt));
  return taken;
}

TEST_P(VirtualRuntimeOn, MakesTheSameMovesForTheSameSeedAndOthersForAnother) {
  std::set<std::vector<int>> ways;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int> first, second;
    const auto one = walk(seed, [&](VirtualRuntime& r) { first = through_a_buffer(r); });
    const auto two = walk(seed, [&](VirtualRuntime& r) { second = through_a_buffer(r); });
    ASSERT_TRUE(one.is_whole()) << one.told();
    EXPECT_EQ(one.moves, two.moves);
    EXPECT_EQ(first, second);
    EXPECT_EQ(std::set<int>(first.begin(), first.end()).size(), 10u);
    ways.insert(one.moves);
  }
  EXPECT_EQ(ways.size(), 20u);
}

TEST(VirtualRuntimeTest, MakesTheSameMovesOnThreadsAndOnFibers) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::vector<int>> moves;
    for (const bool fibers : {false, true}) {
      RandomWalk strategy(seed);
      VirtualSettings settings;
      settings.fibers = fibers;
      VirtualRuntime runtime(strategy, settings);
      moves.push_back(runtime.run([&] { through_a_buffer(runtime); }).moves);
    }
    EXPECT_EQ(moves[0], moves[1]);
  }
}

// Two that stand while they handle what they caught, in turns, each have their own.
TEST_P(VirtualRuntimeOn, KeepsTheExceptionsOfTasksApart) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::string> caught;
    walk(seed, [&](VirtualRuntime& runtime) {
      std::vector<std::unique_ptr<Task>> tasks;
      for (const std::string name : {"one", "two", "three"})
        tasks.push_back(runtime.start(name, [&, name](std::stop_token) {
          try {
            throw std::runtime_error(name);
          } catch (...) {
            runtime.gates().pass("handles");
            try {
              throw;
            } catch (const std::exception& again) {
              runtime.gates().pass("handles again");
              caught.push_back(name + again.what());
              EXPECT_EQ(std::uncaught_exceptions(), 0);
            }
          }
        }));
    });
    std::ranges::sort(caught);
    EXPECT_EQ(caught, (std::vector<std::string>{"oneone", "threethree", "twotwo"}));
  }
}

TEST_P(VirtualRuntimeOn, FollowsAnyStrategy) {
  std::vector<int> moves;
  walk(7, [](VirtualRuntime& r) { through_a_buffer(r); });
  Pct pct(3, 3, 100);
  VirtualRuntime first(pct, on());
  moves = first.run([&] { through_a_buffer(first); }).moves;
  Replayed replayed(moves);
  VirtualRuntime second(replayed, on());
  EXPECT_EQ(second.run([&] { through_a_buffer(second); }).moves, moves);
}

TEST_P(VirtualRuntimeOn, TellsWhoWaitsForWhatInADeadlock) {
  // What is left behind keeps what it holds.
  const auto run = walk(1, [](VirtualRuntime& runtime) {
    const auto never = runtime.monitor("the bus").release();
    auto* task = runtime
                     .start("passenger",
                            [never](std::stop_token) {
                              never->lock();
                              never->wait_until(std::nullopt);
                            })
                     .release();
    static_cast<void>(task->join_until(std::nullopt));
  });
  EXPECT_FALSE(run.is_whole());
  EXPECT_EQ(run.told(), "main waits for the end of passenger\npassenger waits for the bus\n");
}

TEST_P(VirtualRuntimeOn, EndsAtItsBound) {
  VirtualSettings settings;
  settings.max_moves = 1000;
  const auto run = walk(
      1,
      [](VirtualRuntime& runtime) {
        for (;;) runtime.gates().pass("round and round");
      },
      settings);
  EXPECT_TRUE(run.over_bound);
  EXPECT_EQ(run.moves.size(), 1000u);
}

TEST_P(VirtualRuntimeOn, LeavesBehindWhoComesToNoGate) {
  VirtualSettings settings;
  settings.hang_seconds = 0.05;
  static std::binary_semaphore never{0};
  RandomWalk strategy(1);
  VirtualRuntime runtime(strategy, on(settings));
  const auto run = runtime.run([] { never.acquire(); });
  EXPECT_EQ(run.hung, std::vector<std::string>{"main"});
  EXPECT_EQ(run.told(), "main comes to no gate\n");
}

TEST_P(VirtualRuntimeOn, NeedsNoEndOfATaskThatWasLetGo) {
  const auto run = walk(1, [](VirtualRuntime& runtime) {
    const std::shared_ptr<Monitor> never = runtime.monitor("nothing");
    const auto task = runtime.start("stuck", [never](std::stop_token) {
      const std::lock_guard lock(*never);
      never->wait_until(std::nullopt);
    });
    EXPECT_FALSE(task->join_until(run_epoch + 1s));
    task->let_go();
  });
  EXPECT_TRUE(run.is_whole()) << run.told();
  EXPECT_EQ(run.left_behind, std::vector<std::string>{"stuck"});
}

TEST_P(VirtualRuntimeOn, LetsADeadlineComeWhileOthersCouldMoveOnASlowMachine) {
  const auto lateness = [this](int slow_percent) {
    VirtualSettings settings;
    settings.slow_percent = slow_percent;
    settings.seed = 5;
    Instant ended;
    walk(
        3,
        [&](VirtualRuntime& runtime) {
          const auto task = runtime.start("sleeper", [&](std::stop_token) {
            runtime.clock().sleep_until(run_epoch + 10s, {});
          });
          for (int i = 0; i < 50; ++i) runtime.gates().pass("work");
          ended = runtime.clock().now();
        },
        settings);
    return ended - run_epoch;
  };
  EXPECT_EQ(lateness(0), 0s);
  EXPECT_GT(lateness(20), 0s);
  EXPECT_LE(lateness(20), 10s);
  EXPECT_EQ(lateness(20), lateness(20));
}

// Who waits and is notified is woken, although another's time was up before.
TEST_P(VirtualRuntimeOn, DoesNotWasteANotificationOnOneWhoseTimeIsUp) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto run = walk(seed, [](VirtualRuntime& runtime) {
      const auto monitor = runtime.monitor("m");
      const auto late = runtime.start("late", [&](std::stop_token) {
        const std::lock_guard lock(*monitor);
        static_cast<void>(monitor->wait_until(run_epoch + 1s));
      });
      const auto patient = runtime.start("patient", [&](std::stop_token) {
        const std::lock_guard lock(*monitor);
        static_cast<void>(monitor->wait_until(std::nullopt));
      });
      runtime.clock().sleep_until(run_epoch + 1s, {});
      monitor->notify_one();
      EXPECT_TRUE(late->join_until(std::nullopt));
      EXPECT_TRUE(patient->join_until(std::nullopt));
    });
    ASSERT_TRUE(run.is_whole()) << seed << "\n" << run.told();
  }
}

// The locks of a driver are gates of the same schedule: who claims first is its choice.
TEST_P(VirtualRuntimeOn, InterleavesTheCallsOfADriverThatPassesItsGates) {
  std::set<int> winners;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto run = walk(seed, [&](VirtualRuntime& runtime) {
      DriverOptions options{*built_in_profile("reference"), runtime.clock()};
      options.gates = &runtime.gates();
      const auto driver = std::move(all_drivers().front().make(options)).value();
      ASSERT_TRUE(driver->setup({"n"}).ok());
      const auto session = std::move(driver->open({"p"})).value();
      NewJob job;
      job.queue = "q";
      job.type = "t";
      ASSERT_TRUE(session->enqueue(runtime.clock().now(), {job}).ok());
      std::vector<std::unique_ptr<Task>> tasks;
      for (const int me : {0, 1})
        tasks.push_back(runtime.start("claimer", [&, me](std::stop_token) {
          const auto mine = std::move(driver->open({"w"})).value();
          const auto claims = mine->reserve(runtime.clock().now(), {{"q"}, 1s, "w"});
          if (!claims->claims.empty()) winners.insert(me);
        }));
    });
    ASSERT_TRUE(run.is_whole()) << run.told();
  }
  EXPECT_EQ(winners, (std::set<int>{0, 1}));
}

}  // namespace
}  // namespace assay
