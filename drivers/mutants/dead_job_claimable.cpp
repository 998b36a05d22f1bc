// dead_job_claimable: a dead job still stands in line.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DeadJobClaimable final : public Decisions {
 public:
  using Decisions::Decisions;

  bool stands_in_line(Stage stage) const override {
    return stage == Stage::dead || Decisions::stands_in_line(stage);
  }
};

}  // namespace

Mutant dead_job_claimable() {
  return within_memory<DeadJobClaimable>({
      .name = "dead_job_claimable",
      .rules = {"DLQ-4"},
      .summary = "a dead job still stands in line",
  });
}

}  // namespace assay::mutants
