// ack_overwrites_cancelled: an ack of a cancelled job makes it done.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AckOverwritesCancelled final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_settle(const Record& record, SettleKind kind) const override {
    const bool overwrites = kind == SettleKind::ack && record.stage == Stage::cancelled;
    return overwrites || Decisions::may_settle(record, kind);
  }
};

}  // namespace

Mutant ack_overwrites_cancelled() {
  return within_memory<AckOverwritesCancelled>({
      .name = "ack_overwrites_cancelled",
      .rules = {"CANCEL-4", "STATE-4"},
      .summary = "an ack of a cancelled job makes it done",
  });
}

}  // namespace assay::mutants
