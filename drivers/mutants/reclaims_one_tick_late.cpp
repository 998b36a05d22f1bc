// reclaims_one_tick_late: a lease cannot be taken over before the tick after its expiry.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReclaimsOneTickLate final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_reclaim(const Record& record, Instant now) const override {
    return Decisions::may_reclaim(record, now - Duration{1});
  }
};

}  // namespace

Mutant reclaims_one_tick_late() {
  return within_memory<ReclaimsOneTickLate>({
      .name = "reclaims_one_tick_late",
      .rules = {"XLEASE-1"},
      .summary = "a lease cannot be taken over before the tick after its expiry",
  });
}

}  // namespace assay::mutants
