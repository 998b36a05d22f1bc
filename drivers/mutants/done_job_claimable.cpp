// done_job_claimable: a job that was acked still stands in line.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DoneJobClaimable final : public Decisions {
 public:
  using Decisions::Decisions;

  bool stands_in_line(Stage stage) const override {
    return stage == Stage::done || Decisions::stands_in_line(stage);
  }
};

}  // namespace

Mutant done_job_claimable() {
  return within_memory<DoneJobClaimable>({
      .name = "done_job_claimable",
      .rules = {"ACK-3", "CLAIM-4"},
      .summary = "a job that was acked still stands in line",
  });
}

}  // namespace assay::mutants
