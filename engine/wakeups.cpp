#include "engine/wakeups.h"

#include <mutex>

namespace assay::engine {

InProcessWakeUps::InProcessWakeUps(Runtime& runtime, std::size_t bound)
    : clock_(runtime.clock()), bound_(bound), monitor_(runtime.monitor("the wake-ups")) {}

void InProcessWakeUps::announce(WakeUp wakeup) {
  std::stop_source heard;
  {
    const std::lock_guard lock(*monitor_);
    waiting_.push_back(std::move(wakeup));
    if (waiting_.size() > bound_) waiting_.pop_front();
    heard = comes_;
  }
  heard.request_stop();
}

std::optional<WakeUp> InProcessWakeUps::take() {
  if (waiting_.empty()) {
    comes_ = std::stop_source();
    return std::nullopt;
  }
  WakeUp first = std::move(waiting_.front());
  waiting_.pop_front();
  return first;
}

// A sleep that is ended by either of two: a monitor cannot be woken by a stop token.
std::optional<WakeUp> InProcessWakeUps::wait_until(Instant deadline, std::stop_token stop) {
  for (;;) {
    std::stop_source ends;
    {
      const std::lock_guard lock(*monitor_);
      if (auto wakeup = take()) return wakeup;
      ends = comes_;
    }
    if (stop.stop_requested() || clock_.now() >= deadline) return std::nullopt;
    const std::stop_callback link(stop, [&ends] { ends.request_stop(); });
    clock_.sleep_until(deadline, ends.get_token());
  }
}

}  // namespace assay::engine
