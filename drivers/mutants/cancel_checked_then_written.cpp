// cancel_checked_then_written: a cancel looks whether the job has ended and ends it in two steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class CancelCheckedThenWritten final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::cancel; }
};

}  // namespace

Mutant cancel_checked_then_written() {
  return within_memory<CancelCheckedThenWritten>({
      .name = "cancel_checked_then_written",
      .rules = {"CANCEL-4"},
      .race = "a_cancel_meets_a_claim_and_an_ack",
      .summary = "a cancel looks whether the job has ended and ends it in two steps",
  });
}

}  // namespace assay::mutants
