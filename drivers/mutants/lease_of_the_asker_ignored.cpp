// lease_of_the_asker_ignored: a lease is as long as the default, whatever was asked for.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class LeaseOfTheAskerIgnored final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant expiry_of_lease(Instant now, Duration) const override {
    return Decisions::expiry_of_lease(now, profile().lease_ttl);
  }
};

}  // namespace

Mutant lease_of_the_asker_ignored() {
  return within_memory<LeaseOfTheAskerIgnored>({
      .name = "lease_of_the_asker_ignored",
      .rules = {"LEASE-7"},
      .summary = "a lease is as long as the default, whatever was asked for",
  });
}

}  // namespace assay::mutants
