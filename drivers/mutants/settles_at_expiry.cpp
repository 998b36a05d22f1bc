// settles_at_expiry: a settle is still taken at the very instant of the expiry.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class SettlesAtExpiry final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lease_is_over(const Record& record, Instant now) const override {
    return Decisions::lease_is_over(record, now - Duration{1});
  }
};

}  // namespace

Mutant settles_at_expiry() {
  return within_memory<SettlesAtExpiry>({
      .name = "settles_at_expiry",
      .rules = {"XLEASE-1", "FENCE-3"},
      .summary = "a settle is still taken at the very instant of the expiry",
  });
}

}  // namespace assay::mutants
