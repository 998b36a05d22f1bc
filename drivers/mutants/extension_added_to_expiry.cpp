// extension_added_to_expiry: an extension counts from the old expiry.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtensionAddedToExpiry final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant extended_expiry(const Record& record, Instant, Duration lease) const override {
    return later(record.lease->expires_at, lease);
  }
};

}  // namespace

Mutant extension_added_to_expiry() {
  return within_memory<ExtensionAddedToExpiry>({
      .name = "extension_added_to_expiry",
      .rules = {"HB-2"},
      .summary = "an extension counts from the old expiry",
  });
}

}  // namespace assay::mutants
