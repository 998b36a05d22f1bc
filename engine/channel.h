// Channel: where tasks are announced, and where workers hear of them.
//
// A message carries the task's id and nothing else. Whoever receives it hides it from all others
// for a while; it must be prolonged for as long as it is of use, and be deleted when it is not.
// Neither done, it comes again. All this is a convenience: a channel may lose, double, delay and
// reorder, and a message may come again while its task runs. That a task runs once at a time is the
// lease's work alone.
//
// announce, prolong and remove may be called by anybody at any time; receive by one task at a time,
// unless the channel says otherwise.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "harness/contract/job.h"
#include "harness/contract/result.h"

namespace assay::engine {

struct Message {
  JobId task = {};
  // Of this delivery: one that came again has another, and the older is worth nothing then.
  std::string receipt = {};
  Instant hidden_until = {};

  bool operator==(const Message&) const = default;
};

class Channel {
 public:
  virtual ~Channel() = default;

  // An error leaves open whether anybody will hear of it.
  virtual Status announce(const JobId& task) = 0;

  // The next one, hidden from now on; nothing at the deadline, or when `stop` is requested.
  virtual Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) = 0;

  // Hidden for its visibility time from now on; the new end. Refused as lease_lost where the
  // message has come again meanwhile, or was deleted.
  virtual Result<Instant> prolong(const Message& message) = 0;

  // It does not come again. Refused as prolong is; an older receipt removes no newer delivery.
  virtual Status remove(const Message& message) = 0;

  // How long a received message stays hidden.
  virtual Duration visibility() const = 0;
};

}  // namespace assay::engine
