// Carrier: what clients run on while a strategy decides who moves: one of them at a time.
//
// Threads carry any driver; fibers one that blocks its thread nowhere but at gates, and many times
// as fast. Which of the two does not change the moves. Not thread-safe: one run at a time.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/contract/gates.h"
#include "harness/schedule/scheduler.h"

namespace assay {

struct Explored {
  std::vector<int> moves;  // who moved, move by move
  // Somebody came to no gate for so long that the others went on: from there on it was not the
  // strategy alone that decided.
  bool lost_sight = false;
  std::vector<Waiting> deadlock;  // nobody could go on, because of this
  // These never came back. Their threads are left behind, with all that their bodies hold.
  std::vector<int> hung;
};

struct Patience {
  double gate_seconds = 0.25;    // a client may move without coming to a gate, while others could
  double end_seconds = 30;       // nothing at all may happen
  double look_seconds = 0.0003;  // before a store is asked whether a silent client waits in it
};

class Carrier {
 public:
  virtual ~Carrier() = default;

  // For the drivers that take part. Lives as long as the carrier.
  virtual Gates& gates() = 0;

  // Runs each body as a client of its own until all have ended, or hang. After a deadlock every
  // wait fails. The strategy need not outlive the call. Requires: the bodies throw nothing.
  // `clients`, where given, says whose each body is, for a carrier that knows clients by the way
  // that they take.
  virtual Explored run(std::vector<std::function<void()>> bodies, Strategy& strategy,
                       const std::vector<int>& clients = {}) = 0;
};

std::unique_ptr<Carrier> thread_carrier(Patience patience = {});
std::unique_ptr<Carrier> fiber_carrier();

}  // namespace assay
