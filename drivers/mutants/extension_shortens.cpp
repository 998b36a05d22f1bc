// extension_shortens: a short extension makes the lease end earlier.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtensionShortens final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant extended_expiry(const Record&, Instant now, Duration lease) const override {
    return later(now, lease);
  }
};

}  // namespace

Mutant extension_shortens() {
  return within_memory<ExtensionShortens>({
      .name = "extension_shortens",
      .rules = {"LEASE-5"},
      .summary = "a short extension makes the lease end earlier",
  });
}

}  // namespace assay::mutants
