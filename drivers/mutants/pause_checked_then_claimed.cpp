// pause_checked_then_claimed: a claim looks whether its queue is paused and takes a job in two
// steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class PauseCheckedThenClaimed final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::pause; }
};

}  // namespace

Mutant pause_checked_then_claimed() {
  return within_memory<PauseCheckedThenClaimed>({
      .name = "pause_checked_then_claimed",
      .rules = {"PAUSE-1"},
      .race = "a_job_behind_a_pause_meets_claims",
      .summary = "a claim looks whether its queue is paused and takes a job in two steps",
  });
}

}  // namespace assay::mutants
