// replay_checked_then_written: a replay looks whether the job is dead and brings it back in two
// steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReplayCheckedThenWritten final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::replay; }
};

}  // namespace

Mutant replay_checked_then_written() {
  return within_memory<ReplayCheckedThenWritten>({
      .name = "replay_checked_then_written",
      .rules = {"XADMIN-3"},
      .race = "two_replays_of_one_dead_job_meet",
      .summary = "a replay looks whether the job is dead and brings it back in two steps",
  });
}

}  // namespace assay::mutants
