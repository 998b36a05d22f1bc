// repeated_nack_applied: the same nack made again counts as another failure.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RepeatedNackApplied final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_settle(const Record& record, SettleKind kind) const override {
    const bool again = kind == SettleKind::nack && record.awaits_retry;
    return again || Decisions::may_settle(record, kind);
  }
};

}  // namespace

Mutant repeated_nack_applied() {
  return within_memory<RepeatedNackApplied>({
      .name = "repeated_nack_applied",
      .rules = {"RETRY-11"},
      .summary = "the same nack made again counts as another failure",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
