// lease_one_tick_long: a lease ends one tick after it should.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class LeaseOneTickLong final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant expiry_of_lease(Instant now, Duration lease) const override {
    return later(Decisions::expiry_of_lease(now, lease), Duration{1});
  }
};

}  // namespace

Mutant lease_one_tick_long() {
  return within_memory<LeaseOneTickLong>({
      .name = "lease_one_tick_long",
      .rules = {"LEASE-7"},
      .summary = "a lease ends one tick after it should",
  });
}

}  // namespace assay::mutants
