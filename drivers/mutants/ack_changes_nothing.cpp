// ack_changes_nothing: an ack is answered with success and leaves the job held.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AckChangesNothing final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_ack(const Record& record, const Ack&) const override {
    return outcome_without_change(record);
  }
};

}  // namespace

Mutant ack_changes_nothing() {
  return within_memory<AckChangesNothing>({
      .name = "ack_changes_nothing",
      .rules = {"ACK-1"},
      .summary = "an ack is answered with success and leaves the job held",
  });
}

}  // namespace assay::mutants
