// settle_checked_then_written: a settle checks its token and writes in two steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class SettleCheckedThenWritten final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::settle; }
};

}  // namespace

Mutant settle_checked_then_written() {
  return within_memory<SettleCheckedThenWritten>({
      .name = "settle_checked_then_written",
      .rules = {"FENCE-2", "STATE-4"},
      .race = "two_settles_of_one_claim_meet",
      .summary = "a settle checks its token and writes in two steps",
  });
}

}  // namespace assay::mutants
