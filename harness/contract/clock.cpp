#include "harness/contract/clock.h"

#include <condition_variable>
#include <mutex>

#include "harness/contract/stamp.h"

namespace assay {

Instant RealClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

void RealClock::sleep_until(Instant when, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, stop, when, [] { return false; });
}

void VirtualClock::sleep_until(Instant when, std::stop_token stop) {
  if (!stop.stop_requested()) move_to(when);
}

void VirtualClock::move_to(Instant when) {
  std::int64_t seen = now_ms_.load();
  while (seen < to_ms(when) && !now_ms_.compare_exchange_weak(seen, to_ms(when))) {
  }
}

std::int64_t stamp_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Stopwatch::Stopwatch() : start_ns_(stamp_ns()) {}

double Stopwatch::seconds() const { return static_cast<double>(stamp_ns() - start_ns_) * 1e-9; }

}  // namespace assay
