// lease_not_cleared: a done job still shows its lease.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class LeaseNotCleared final : public Decisions {
 public:
  using Decisions::Decisions;

  bool keeps_lease(Stage entered) const override { return entered == Stage::done; }
};

}  // namespace

Mutant lease_not_cleared() {
  return within_memory<LeaseNotCleared>({
      .name = "lease_not_cleared",
      .rules = {"ACK-5"},
      .summary = "a done job still shows its lease",
  });
}

}  // namespace assay::mutants
