// Merged: one history out of what several processes of this machine saw, in the order of their
// stamps.
#pragma once

#include <string>
#include <vector>

#include "harness/history/history.h"
#include "harness/run/worker_order.h"

namespace assay::detail {

struct StampedEvent {
  std::int64_t stamp = 0;
  Event event;
};

class Merged {
 public:
  // What somebody saw, in its order; its numbers of calls and clients are its own. The names of
  // clients that were there before get a number.
  void add(std::vector<StampedEvent> events, const std::vector<std::string>& clients);
  // The same as lines; an error where one makes no sense.
  Status add(const std::vector<StampedLine>& lines);

  // Where stamps are equal, who was added first comes first.
  void into(History& history);

 private:
  std::vector<std::string> clients_;
  std::vector<StampedEvent> events_;
  OpId next_op_ = 0;
};

}  // namespace assay::detail
