// Pace: what befalls clients that move at once comes in the middle of what they do, not before all
// of it: when as many of their calls have ended as stand before it in the plan. Nor after it: who
// is far ahead of the world in the plan waits until that is done with what comes first.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace assay::detail {

class Pace {
 public:
  void step() {
    {
      const std::lock_guard lock(mutex_);
      ++steps_;
    }
    changed_.notify_all();
  }

  // Until there were so many steps, or for a while nobody has made one: they may wait for the very
  // thing that is to happen.
  void await(std::size_t steps) {
    using namespace std::chrono_literals;
    constexpr auto patience = 100ms;
    std::unique_lock lock(mutex_);
    for (std::size_t before = steps_; steps_ < steps; before = steps_)
      if (!changed_.wait_for(lock, patience, [&] { return steps_ > before; })) return;
  }

  // The world's next step is of this number; it has none left: `never`.
  static constexpr std::size_t never = static_cast<std::size_t>(-1);
  void world_is_at(std::size_t step) {
    {
      const std::lock_guard lock(mutex_);
      world_ = step;
    }
    changed_.notify_all();
  }

  // Until all that the world does before that step is done, or for a while: it may wait for the very
  // calls that would come then.
  void await_world(std::size_t step) {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 1s, [&] { return world_ >= step; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t steps_ = 0;
  std::size_t world_ = never;
};

}  // namespace assay::detail
