// ack_without_lease: an ack of a job that waits makes it done.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AckWithoutLease final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_settle(const Record& record, SettleKind kind) const override {
    const bool waits = kind == SettleKind::ack && record.stage == Stage::waiting;
    return waits || Decisions::may_settle(record, kind);
  }
};

}  // namespace

Mutant ack_without_lease() {
  return within_memory<AckWithoutLease>({
      .name = "ack_without_lease",
      .rules = {"STATE-3"},
      .summary = "an ack of a job that waits makes it done",
  });
}

}  // namespace assay::mutants
