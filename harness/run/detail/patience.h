// Patience: how long a client whose line may be dead waits for an answer. As short as can be, and
// still so long that a machine under load is not taken for a dead line: measured, not guessed.
//
// Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "harness/contract/time.h"

namespace assay::detail {

class Patience {
 public:
  Duration now() const { return Duration{now_ms_.load()}; }

  // A session was opened over a line that was whole, in so many seconds: a call takes no longer,
  // and gets some times as much.
  void took(double seconds) {
    constexpr double times = 4;
    const auto wanted = std::min(longest_ms, static_cast<std::int64_t>(seconds * 1000 * times));
    std::int64_t known = now_ms_.load();
    while (known < wanted && !now_ms_.compare_exchange_weak(known, wanted)) {
    }
  }

  // It was too short, for something that nothing was wrong with. False: it is as long as it gets.
  bool grow() {
    const std::int64_t known = now_ms_.load();
    if (known >= longest_ms) return false;
    now_ms_.store(std::min(longest_ms, 4 * known));
    return true;
  }

 private:
  static constexpr std::int64_t shortest_ms = 500;
  static constexpr std::int64_t longest_ms = 16'000;

  std::atomic<std::int64_t> now_ms_ = shortest_ms;
};

}  // namespace assay::detail
