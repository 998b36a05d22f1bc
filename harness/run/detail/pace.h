// Pace: what befalls clients that move at once comes in the middle of what they do, not before all
// of it: when as many of their calls have ended as stand before it in the plan.
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

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t steps_ = 0;
};

}  // namespace assay::detail
