// extend_revives_expired: an extension after the expiry is taken.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtendRevivesExpired final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_extend(const Record&, Instant) const override { return true; }
};

}  // namespace

Mutant extend_revives_expired() {
  return within_memory<ExtendRevivesExpired>({
      .name = "extend_revives_expired",
      .rules = {"LEASE-6"},
      .summary = "an extension after the expiry is taken",
  });
}

}  // namespace assay::mutants
