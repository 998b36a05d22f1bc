#include "harness/run/detail/threads.h"

#include <gtest/gtest.h>

#include <barrier>
#include <set>

namespace assay::detail {
namespace {

// Nobody comes back before all are there: on fewer threads it would never end.
std::set<std::thread::id> meet(Threads& threads, int count) {
  std::barrier everybody(count);
  std::mutex mutex;
  std::set<std::thread::id> met;
  const std::vector<std::function<void()>> bodies(static_cast<std::size_t>(count), [&] {
    everybody.arrive_and_wait();
    const std::lock_guard lock(mutex);
    met.insert(std::this_thread::get_id());
  });
  threads.run(bodies);
  return met;
}

TEST(Threads, RunAllAtOnceEachOnOneOfItsOwn) {
  Threads threads;
  EXPECT_EQ(meet(threads, 20).size(), 20u);
}

TEST(Threads, StayForTheNextRound) {
  Threads threads;
  const auto first = meet(threads, 5);
  for (int round = 0; round < 100; ++round) EXPECT_EQ(meet(threads, 5), first);
  EXPECT_FALSE(first.contains(std::this_thread::get_id()));
}

TEST(Threads, AreAsManyAsARoundNeeds) {
  Threads threads;
  const auto few = meet(threads, 2);
  const auto many = meet(threads, 9);
  EXPECT_EQ(many.size(), 9u);
  for (const auto& one : few) EXPECT_TRUE(many.contains(one));
  for (int round = 0; round < 100; ++round) EXPECT_EQ(meet(threads, 2), few);
  threads.run({});
  EXPECT_EQ(meet(threads, 9), many);
}

}  // namespace
}  // namespace assay::detail
