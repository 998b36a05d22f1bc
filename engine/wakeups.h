// WakeUps: where a worker hears that there is something to do, before its next poll.
//
// A wake-up is a hint: it may be lost, doubled or wrong, and the worker still polls, only seldom.
// Used by one task at a time.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "harness/contract/job.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

struct WakeUp {
  std::optional<JobId> job_id = {};       // this one; absent: something
  std::optional<std::string> queue = {};  // there; absent: not said

  bool operator==(const WakeUp&) const = default;
};

class WakeUps {
 public:
  virtual ~WakeUps() = default;

  // The next one; nothing at the deadline, or when `stop` is requested.
  virtual std::optional<WakeUp> wait_until(Instant deadline, std::stop_token stop) = 0;
};

// Within this process: whoever enqueues announces. Thread-safe. The runtime is borrowed for life.
class InProcessWakeUps final : public WakeUps {
 public:
  // At most so many wait to be heard; the oldest is forgotten for the newest.
  explicit InProcessWakeUps(Runtime& runtime, std::size_t bound = 10'000);

  void announce(WakeUp wakeup);
  std::optional<WakeUp> wait_until(Instant deadline, std::stop_token stop) override;

 private:
  std::optional<WakeUp> take();

  Clock& clock_;
  const std::size_t bound_;
  const std::unique_ptr<Monitor> monitor_;
  std::deque<WakeUp> waiting_;
  std::stop_source comes_;  // requested when one does
};

}  // namespace assay::engine
