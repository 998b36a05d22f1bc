// cancel_overwrites_ended: a cancel makes a done or dead job cancelled.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class CancelOverwritesEnded final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_cancel(const Record&) const override { return true; }
};

}  // namespace

Mutant cancel_overwrites_ended() {
  return within_memory<CancelOverwritesEnded>({
      .name = "cancel_overwrites_ended",
      .rules = {"CANCEL-3", "XCANC-1"},
      .summary = "a cancel makes a done or dead job cancelled",
  });
}

}  // namespace assay::mutants
