// late_settle_accepted: a settle after the expiry is taken as long as nobody took the job over.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class LateSettleAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  bool accepts_late(SettleKind) const override { return true; }
};

}  // namespace

Mutant late_settle_accepted() {
  return within_memory<LateSettleAccepted>({
      .name = "late_settle_accepted",
      .rules = {"FENCE-3"},
      .summary = "a settle after the expiry is taken as long as nobody took the job over",
  });
}

}  // namespace assay::mutants
