// extension_halved: an extension grants half of what was asked for.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtensionHalved final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant extended_expiry(const Record& record, Instant now, Duration lease) const override {
    return Decisions::extended_expiry(record, now, lease / 2);
  }
};

}  // namespace

Mutant extension_halved() {
  return within_memory<ExtensionHalved>({
      .name = "extension_halved",
      .rules = {"HB-2"},
      .summary = "an extension grants half of what was asked for",
  });
}

}  // namespace assay::mutants
