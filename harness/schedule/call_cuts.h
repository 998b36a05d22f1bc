// CallCuts: counts the gates that a client passes within a call, and cuts it off at one of them.
#pragma once

#include <functional>
#include <optional>

#include "harness/plan/cut.h"

namespace assay {

class CallCuts {
 public:
  virtual ~CallCuts() = default;

  // The client is about to make a call; where there is a cut, it is cut off in it. Said by whoever
  // makes the call. `on_cut` is called just before, with locks held: it must not wait.
  virtual void begin_call(int client, const std::optional<Cut>& cut,
                          std::function<void()> on_cut = {}) = 0;

  struct Ended {
    int gates = 0;              // that it passed in the call
    bool was_cut = false;       // it came so far that it could be
    bool loses_answer = false;  // whatever the driver answered, the client never saw it
  };
  virtual Ended end_call(int client) = 0;
};

}  // namespace assay
