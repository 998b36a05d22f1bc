// held_job_claimable: a job under a live lease still stands in line.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class HeldJobClaimable final : public Decisions {
 public:
  using Decisions::Decisions;

  bool stands_in_line(Stage stage) const override {
    return stage == Stage::leased || Decisions::stands_in_line(stage);
  }
};

}  // namespace

Mutant held_job_claimable() {
  return within_memory<HeldJobClaimable>({
      .name = "held_job_claimable",
      .rules = {"CLAIM-3", "LEASE-2", "LEASE-3", "DELIV-2"},
      .summary = "a job under a live lease still stands in line",
  });
}

}  // namespace assay::mutants
