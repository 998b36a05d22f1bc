// extend_ignores_token: an extension is taken whatever token it carries.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtendIgnoresToken final : public Decisions {
 public:
  using Decisions::Decisions;

  bool matches_for_extension(const Record&, const Hold&) const override { return true; }
};

}  // namespace

Mutant extend_ignores_token() {
  return within_memory<ExtendIgnoresToken>({
      .name = "extend_ignores_token",
      .rules = {"FENCE-8", "LEASE-6"},
      .summary = "an extension is taken whatever token it carries",
  });
}

}  // namespace assay::mutants
