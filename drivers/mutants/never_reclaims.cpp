// never_reclaims: a lease that expired is never taken over.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class NeverReclaims final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_reclaim(const Record&, Instant) const override { return false; }
};

}  // namespace

Mutant never_reclaims() {
  return within_memory<NeverReclaims>({
      .name = "never_reclaims",
      .rules = {"LEASE-4"},
      .summary = "a lease that expired is never taken over",
  });
}

}  // namespace assay::mutants
