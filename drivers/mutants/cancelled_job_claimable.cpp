// cancelled_job_claimable: a cancelled job still stands in line.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class CancelledJobClaimable final : public Decisions {
 public:
  using Decisions::Decisions;

  bool stands_in_line(Stage stage) const override {
    return stage == Stage::cancelled || Decisions::stands_in_line(stage);
  }
};

}  // namespace

Mutant cancelled_job_claimable() {
  return within_memory<CancelledJobClaimable>({
      .name = "cancelled_job_claimable",
      .rules = {"CANCEL-2", "CLAIM-4"},
      .summary = "a cancelled job still stands in line",
  });
}

}  // namespace assay::mutants
