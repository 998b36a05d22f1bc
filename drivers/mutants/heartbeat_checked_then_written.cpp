// heartbeat_checked_then_written: a heartbeat checks its token and moves the expiry in two steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class HeartbeatCheckedThenWritten final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::extend; }
};

}  // namespace

Mutant heartbeat_checked_then_written() {
  return within_memory<HeartbeatCheckedThenWritten>({
      .name = "heartbeat_checked_then_written",
      .rules = {"ACK-5", "STATE-4"},
      .race = "a_heartbeat_meets_a_settle",
      .summary = "a heartbeat checks its token and moves the expiry in two steps",
  });
}

}  // namespace assay::mutants
