#include "harness/schedule/carrier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

namespace assay {
namespace {

struct On {
  const char* name;
  std::unique_ptr<Carrier> (*make)();
};
void PrintTo(const On& on, std::ostream* out) { *out << on.name; }

class CarrierOn : public testing::TestWithParam<On> {
 protected:
  std::unique_ptr<Carrier> carrier = GetParam().make();
  Gates& gates = carrier->gates();

  Explored walk(std::vector<std::function<void()>> bodies, std::uint64_t seed) {
    RandomWalk strategy(seed);
    return carrier->run(std::move(bodies), strategy);
  }
  Explored follow(std::vector<std::function<void()>> bodies, std::vector<int> choices) {
    Replayed strategy(std::move(choices));
    return carrier->run(std::move(bodies), strategy);
  }
};

INSTANTIATE_TEST_SUITE_P(Carriers, CarrierOn,
                         testing::Values(On{"threads", [] { return thread_carrier(); }},
                                         On{"fibers", fiber_carrier}),
                         [](const auto& info) { return info.param.name; });

TEST_P(CarrierOn, LetsClientsMoveInTheOrderOfTheChoices) {
  std::vector<int> seen;
  const auto body = [&](int me) {
    return [&, me] {
      seen.push_back(me);
      gates.pass("a");
      seen.push_back(me);
    };
  };
  const Explored explored = follow({body(0), body(1)}, {1, 0, 0, 1});
  EXPECT_EQ(seen, (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(explored.moves, seen);
  EXPECT_FALSE(explored.lost_sight);
  EXPECT_TRUE(explored.deadlock.empty());
}

TEST_P(CarrierOn, RunsAgainAndAgainWithMoreAndFewerClients) {
  for (const int clients : {2, 5, 1, 3, 5}) {
    int moves = 0;
    std::vector<std::function<void()>> bodies;
    for (int i = 0; i < clients; ++i)
      bodies.push_back([&] {
        ++moves;
        gates.pass("a");
        ++moves;
      });
    EXPECT_EQ(walk(std::move(bodies), 3).moves.size(), static_cast<std::size_t>(2 * clients));
    EXPECT_EQ(moves, 2 * clients);
  }
}

TEST_P(CarrierOn, RunsNobodyWhereThereIsNobody) { EXPECT_TRUE(walk({}, 1).moves.empty()); }

TEST_P(CarrierOn, LeavesGatesOpenOutsideOfARun) {
  EXPECT_FALSE(gates.on());
  gates.pass("nobody's");
  GateMutex mutex(&gates, "m");
  const std::lock_guard lock(mutex);
}

// A counter that is read and written with a gate in between: who comes in there loses an update.
TEST_P(CarrierOn, BringsARaceUpAndRepeatsIt) {
  const auto counted = [&](std::uint64_t seed) {
    int counter = 0;
    const auto add = [&] {
      const int read = counter;
      gates.pass("write");
      counter = read + 1;
    };
    const Explored explored = walk({add, add, add}, seed);
    return std::pair(counter, explored.moves);
  };
  std::set<int> results;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto once = counted(seed);
    EXPECT_EQ(once, counted(seed));
    results.insert(once.first);
  }
  EXPECT_TRUE(results.contains(1));
  EXPECT_TRUE(results.contains(3));
}

TEST_P(CarrierOn, KeepsALockOneAtATime) {
  GateMutex mutex(&gates, "the counter's lock");
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    int counter = 0;
    const auto add = [&] {
      const std::lock_guard lock(mutex);
      const int read = counter;
      gates.pass("write");
      counter = read + 1;
    };
    const Explored explored = walk({add, add, add}, seed);
    EXPECT_EQ(counter, 3);
    EXPECT_TRUE(explored.deadlock.empty());
  }
}

TEST_P(CarrierOn, TellsADeadlockAndGetsEverybodyOut) {
  GateMutex left(&gates, "left"), right(&gates, "right");
  int refused = 0, took = 0;
  const auto take = [&](GateMutex& first, GateMutex& second) {
    return [&] {
      try {
        const std::lock_guard one(first);
        const std::lock_guard two(second);
        ++took;
      } catch (const std::system_error&) {
        ++refused;
      }
    };
  };
  // Each has its first one before either asks for the second.
  const Explored explored = follow({take(left, right), take(right, left)}, {0, 0, 1, 1, 0, 1});
  ASSERT_EQ(explored.deadlock.size(), 2U);
  EXPECT_EQ(explored.deadlock[0].client, 0);
  EXPECT_EQ(explored.deadlock[0].for_what, "right");
  EXPECT_EQ(explored.deadlock[1].for_what, "left");
  EXPECT_EQ(refused + took, 2);
  EXPECT_GE(refused, 1);
  // And it can be used again.
  EXPECT_TRUE(follow({[] {}}, {}).deadlock.empty());
}

TEST_P(CarrierOn, LetsWhoPollsTryAgainOnceSomethingHappened) {
  bool open = false;
  int tries = 0;
  const auto poll = [&] {
    while (!open) {
      ++tries;
      ASSERT_TRUE(gates.wait("the door", nullptr));
    }
  };
  const auto opener = [&] {
    gates.pass("one");
    gates.pass("two");
    open = true;
  };
  const Explored explored = follow({poll, opener}, {0, 0, 0, 0, 1, 1, 1});
  EXPECT_TRUE(explored.deadlock.empty());
  EXPECT_LE(tries, 3);  // no more often than something happened
}

TEST_P(CarrierOn, TellsThatNobodyOpensWhatIsPolled) {
  bool told = false;
  const Explored explored = follow({[&] { told = !gates.wait("the door", nullptr); }}, {});
  EXPECT_TRUE(told);
  ASSERT_EQ(explored.deadlock.size(), 1U);
  EXPECT_EQ(explored.deadlock[0].for_what, "the door");
}

TEST(ThreadCarrier, GoesOnWithoutAClientThatBlocksOutOfSight) {
  const auto carrier = thread_carrier({.gate_seconds = 0.01, .end_seconds = 60});
  std::binary_semaphore opened(0);
  Replayed strategy({0, 1, 1, 0});
  const Explored explored = carrier->run({[&] { opened.acquire(); },
                                          [&] {
                                            carrier->gates().pass("a");
                                            opened.release();
                                          }},
                                         strategy);
  EXPECT_TRUE(explored.lost_sight);
  EXPECT_TRUE(explored.hung.empty());
}

TEST(ThreadCarrier, LeavesBehindWhoNeverComesBack) {
  struct Shared {
    std::binary_semaphore release{0};
    std::binary_semaphore gone{0};
  };
  const auto shared = std::make_shared<Shared>();
  {
    const auto carrier = thread_carrier({.gate_seconds = 0.01, .end_seconds = 0.05});
    Replayed strategy({0});
    const Explored explored = carrier->run({[shared] {
                                              shared->release.acquire();
                                              shared->gone.release();
                                            },
                                            [] {}},
                                           strategy);
    EXPECT_EQ(explored.hung, (std::vector<int>{0}));
  }
  shared->release.release();  // the thread outlived its carrier, and ends
  shared->gone.acquire();
}

TEST(ThreadCarrier, KeepsOutThreadsThatAreNoClients) {
  const auto carrier = thread_carrier();
  Replayed strategy({0});
  const Explored explored = carrier->run({[&] {
                                           std::thread hidden([&] {
                                             EXPECT_FALSE(carrier->gates().on());
                                             carrier->gates().pass("hidden");
                                           });
                                           hidden.join();
                                         }},
                                         strategy);
  EXPECT_EQ(explored.moves.size(), 1U);
}

TEST(Carriers, GiveTheSameMoves) {
  const auto moves_on = [](std::unique_ptr<Carrier> carrier, std::uint64_t seed) {
    GateMutex mutex(&carrier->gates(), "m");
    RandomWalk strategy(seed);
    const auto body = [&] {
      for (int i = 0; i < 3; ++i) {
        const std::lock_guard lock(mutex);
        carrier->gates().pass("inside");
      }
    };
    return carrier->run({body, body, body}, strategy).moves;
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(moves_on(thread_carrier(), seed), moves_on(fiber_carrier(), seed));
}

}  // namespace
}  // namespace assay
