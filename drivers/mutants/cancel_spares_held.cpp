// cancel_spares_held: a held job cannot be cancelled.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class CancelSparesHeld final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_cancel(const Record& record) const override { return record.stage == Stage::waiting; }
};

}  // namespace

Mutant cancel_spares_held() {
  return within_memory<CancelSparesHeld>({
      .name = "cancel_spares_held",
      .rules = {"CANCEL-1"},
      .summary = "a held job cannot be cancelled",
  });
}

}  // namespace assay::mutants
