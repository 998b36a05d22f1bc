// extension_forgotten: an extension is accepted and moves nothing.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtensionForgotten final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant extended_expiry(const Record& record, Instant, Duration) const override {
    return record.lease->expires_at;
  }
};

}  // namespace

Mutant extension_forgotten() {
  return within_memory<ExtensionForgotten>({
      .name = "extension_forgotten",
      .rules = {"LEASE-5"},
      .summary = "an extension is accepted and moves nothing",
  });
}

}  // namespace assay::mutants
