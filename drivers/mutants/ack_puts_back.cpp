// ack_puts_back: an ack puts the job back in line.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AckPutsBack final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_ack(const Record& record, const Ack&) const override {
    Outcome after = outcome_without_change(record);
    after.stage = Stage::waiting;
    return after;
  }
};

}  // namespace

Mutant ack_puts_back() {
  return within_memory<AckPutsBack>({
      .name = "ack_puts_back",
      .rules = {"ACK-3", "ACK-1"},
      .summary = "an ack puts the job back in line",
  });
}

}  // namespace assay::mutants
