// Settler: sends the settles of a worker's slots, and again while there is no answer and the lease
// lasts. Acks may go together: whoever comes first sends all that wait, and each gets the answer to
// its own.
//
// What acks wait is guarded by the floor's monitor.
#pragma once

#include <functional>
#include <variant>

#include "engine/detail/floor.h"
#include "engine/outbox.h"

namespace assay::engine::detail {

// A settle that is more than one call. It may be made again where there was no answer.
struct Closing {
  std::function<Status(Session&)> make;
};

using Settle = std::variant<Ack, Retry, Fail, Nack, Closing>;

// The rows of the outbox that its events are.
std::vector<OutboxRow> rows_of_events(const Run& run);

class Settler {
 public:
  explicit Settler(Floor& floor) : floor_(floor) {}

  // Returns when it is answered for good, or nobody will: the floor has been told which, and the
  // error is the last answer. `held` is given back as it was, and let go meanwhile.
  Status settle(Held& held, Line& line, const Run& run, SettleKind kind, const Settle& settle);

 private:
  struct Waiting {
    const Run& run;
    const Ack& ack;
    int tries;
    std::optional<Status> answer = {};
  };

  Status send(Held& held, Line& line, const Run& run, SettleKind kind, const Settle& settle,
              int tries);
  Status send_with_others(Held& held, Line& line, const Run& run, const Ack& ack, int tries);
  void send_all(Held& held, Line& line);

  Floor& floor_;
  std::vector<Waiting*> waiting_;  // each on the stack of its slot
  bool is_sending_ = false;
};

}  // namespace assay::engine::detail
