// Floor: what the tasks of a worker share.
//
// Everything that changes is guarded by `monitor`, which is never held during a call of a driver or
// a handler. Shared by the worker and its tasks: one whose handler never returns keeps it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/detail/limits.h"
#include "engine/detail/line.h"
#include "engine/detail/run.h"
#include "engine/worker.h"

namespace assay::engine::detail {

using Held = std::unique_lock<Monitor>;

struct Slot {
  explicit Slot(Line its) : line(std::move(its)) {}

  // Of the slot's own task; taken away from one whose handler does not return.
  Line line;

  bool waits = false;    // for a job, in its intake
  bool is_eager = true;  // it may ask at once: it has just ended a job, or was woken
  bool is_held = false;  // another slot asks for it, too
  bool in_handler = false;
  bool in_call = false;  // its handler waits for the store
  bool has_ended = false;
  bool is_left = false;  // the worker ended without it
  std::shared_ptr<Run> handed = nullptr;
};

class Floor {
 public:
  Floor(Runtime& runtime, Driver& driver, WorkerOptions options);

  Instant now() const { return clock.now(); }
  Slot& slot(int number) { return slots[static_cast<std::size_t>(number)]; }

  // --- With the monitor held ---

  void tell(int slot, const Delivery& delivery, Happening what);
  void tell(const Run& run, Happening what) { tell(run.slot, run.delivery(), std::move(what)); }

  // The run is under way from now on: its lease is kept.
  std::shared_ptr<Run> admit(Claim claim, int slot, Instant sent_at);
  void forget(const Run& run);

  // Its handler is to stop. The stop itself must be requested without the monitor, since callbacks
  // may do anything.
  void interrupt(Run& run, Interruption why, std::vector<std::stop_source>& to_stop);
  void lose(Run& run, std::string how, Interruption why, std::vector<std::stop_source>& to_stop);

  Clock& clock;
  Driver& driver;
  const WorkerOptions options;
  const Profile profile;
  const Duration lease;
  const std::unique_ptr<Monitor> monitor;

  std::vector<Slot> slots;
  std::vector<std::shared_ptr<Run>> runs;  // shared with their slots and, for a call, the keeper
  Limits limits;
  Random random;
  Tallies tallies;
  bool is_draining = false;      // nothing more is claimed
  bool is_hurried = false;       // handlers have no grace
  bool is_interrupting = false;  // no handler begins
  bool gives_up = false;         // nothing is tried again
  bool has_ended = false;        // the helpers end, too
};

void request(std::vector<std::stop_source>& to_stop);

}  // namespace assay::engine::detail
