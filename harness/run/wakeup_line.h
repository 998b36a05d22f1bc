// WakeUpLine: somebody's end of the channel on which an engine announces jobs.
//
// The channel is the run's own: what is said on it is seen, whatever the engine tells, and may be
// spoiled on purpose. It may lose, double, delay and reorder, and a message may come again while
// its job runs. Used by tasks of the run's runtime alone.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "harness/contract/result.h"
#include "harness/contract/time.h"

namespace assay {

struct HeardWakeUp {
  std::string says = {};     // all of it
  std::string receipt = {};  // of this delivery
  Instant hidden_until = {};
};

class WakeUpLine {
 public:
  virtual ~WakeUpLine() = default;

  virtual Status announce(const std::string& queue, const std::string& says) = 0;
  // The next one of the worker's queues, hidden from all others from now on; nothing at the
  // deadline, or when `stop` is requested.
  virtual Result<std::optional<HeardWakeUp>> receive(Instant deadline, std::stop_token stop) = 0;
  // Both refuse, as lease_lost, the receipt of a message that has come again, or was deleted.
  virtual Result<Instant> prolong(const std::string& receipt) = 0;
  virtual Status remove(const std::string& receipt) = 0;

  // How long a received message stays hidden.
  virtual Duration visibility() const = 0;
};

}  // namespace assay
