// Clock: the only source of the present time. Real, or virtual and moved by the harness.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <stop_token>

#include "harness/contract/time.h"

namespace assay {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;

  // Returns at `when`, or earlier when `stop` is requested.
  virtual void sleep_until(Instant when, std::stop_token stop) = 0;
};

class RealClock final : public Clock {
 public:
  Instant now() const override;
  void sleep_until(Instant when, std::stop_token stop) override;
};

// Stands still until it is moved. Sleeping on it moves it: with nobody else to wait for, time
// passes at once.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Instant start = run_epoch) : now_ms_(to_ms(start)) {}

  Instant now() const override { return instant_from_ms(now_ms_.load()); }
  void sleep_until(Instant when, std::stop_token stop) override;

  // Never moves backwards: an earlier instant leaves the clock as it is.
  void move_to(Instant when);
  void advance(Duration by) { now_ms_.fetch_add(by.count()); }

 private:
  std::atomic<std::int64_t> now_ms_;
};

// Elapsed real time, for progress and budgets; never for judging.
class Stopwatch {
 public:
  Stopwatch();
  double seconds() const;

 private:
  std::int64_t start_ns_;
};

}  // namespace assay
