// reclaims_one_tick_early: a lease is taken over one tick before its expiry.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReclaimsOneTickEarly final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_reclaim(const Record& record, Instant now) const override {
    return Decisions::may_reclaim(record, now + Duration{1});
  }
};

}  // namespace

Mutant reclaims_one_tick_early() {
  return within_memory<ReclaimsOneTickEarly>({
      .name = "reclaims_one_tick_early",
      .rules = {"XLEASE-1", "LEASE-2"},
      .summary = "a lease is taken over one tick before its expiry",
  });
}

}  // namespace assay::mutants
