// Pace: what befalls clients that move at once comes in the middle of what they do, not before all
// of it: when as many of their calls have ended as stand before it in the plan. Nor after it: who
// is far ahead of the world in the plan waits until that is done with what comes first.
//
// Thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace assay::detail {

// How long one waits for the other where nothing happens.
struct PaceLimits {
  std::chrono::milliseconds of_world{100};
  std::chrono::milliseconds of_clients{3'000};  // at first
};

class Pace {
 public:
  explicit Pace(const PaceLimits& limits = {}) : limits_(limits) {}

  void step() {
    const std::lock_guard lock(mutex_);
    if (++steps_ == awaited_) reached_.notify_all();
  }

  // Until there were so many steps, or for a while nobody has made one: they may wait for the very
  // thing that is to happen. For one thread, the world's.
  void await(std::size_t steps) {
    std::unique_lock lock(mutex_);
    awaited_ = steps;
    for (std::size_t before = never; before != steps_;) {
      before = steps_;
      if (reached_.wait_for(lock, limits_.of_world, [&] { return steps_ >= steps; })) return;
    }
  }

  // The world's next step is of this number; it has none left: `never`.
  static constexpr std::size_t never = static_cast<std::size_t>(-1);
  void world_is_at(std::size_t step) {
    const std::lock_guard lock(mutex_);
    world_ = step;
    patience_ = limits_.of_clients;
    world_moved_.notify_all();
  }

  // Until all that the world does before that step is done, or for a while: it may wait for the
  // very calls that would come then. Whoever waited in vain has the next ones wait half as long,
  // until the world moves.
  void await_world(std::size_t step) {
    constexpr std::chrono::milliseconds least(10);
    std::unique_lock lock(mutex_);
    const auto mine = patience_;
    if (world_moved_.wait_for(lock, mine, [&] { return world_ >= step; })) return;
    if (patience_ == mine) patience_ = std::max(mine / 2, least);
  }

 private:
  std::mutex mutex_;
  std::condition_variable reached_, world_moved_;
  std::size_t steps_ = 0;
  std::size_t awaited_ = 0;
  std::size_t world_ = never;
  const PaceLimits limits_;
  std::chrono::milliseconds patience_ = limits_.of_clients;
};

}  // namespace assay::detail
