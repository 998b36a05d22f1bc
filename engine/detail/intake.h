// Intake: which slot asks the store for jobs, and when.
//
// Under load each slot asks for itself as soon as it is free. Where there was nothing, slots fall
// idle; of those only one asks now and then, the poller, and whoever finds a job wakes the next.
// Where a claim may take several jobs, a slot takes hold of idle ones first and asks for them, too:
// nothing is claimed that no slot is free for.
//
// Guarded by the floor's monitor.
#pragma once

#include "engine/detail/finder.h"

namespace assay::engine::detail {

class Intake {
 public:
  explicit Intake(Floor& floor) : floor_(floor), finder_(floor) {}

  // The next job of the slot; null: there will be none, since the worker drains.
  std::shared_ptr<Run> next(int slot);

  // --- With the monitor held ---

  void hear(const WakeUp& wakeup);

 private:
  std::optional<Instant> may_ask_at(int slot);
  void ask(Held& held, int slot);
  std::vector<int> take_hold(int slot);
  void hand_out(Finder::Found found, int slot, const std::vector<int>& takers);
  void found_nothing(int slot, bool but_heard);
  void back_off(int slot, const Error& error);
  void wake_another();
  Duration drawn_up_to(Duration longest);
  Duration longest_pause() const;

  Floor& floor_;
  Finder finder_;
  int poller_ = -1;          // the idle slot that asks; -1: none
  Instant poll_at_ = {};     // when it does
  int empty_polls_ = 0;      // in a row
  std::uint64_t heard_ = 0;  // wake-ups
  int troubles_ = 0;         // in a row: claims without an answer. Then only the poller asks
};

}  // namespace assay::engine::detail
