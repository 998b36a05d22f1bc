// repeated_retry_applied: the same retry made again is carried out again.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RepeatedRetryApplied final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_settle(const Record& record, SettleKind kind) const override {
    const bool again = kind == SettleKind::retry && record.awaits_retry;
    return again || Decisions::may_settle(record, kind);
  }
};

}  // namespace

Mutant repeated_retry_applied() {
  return within_memory<RepeatedRetryApplied>({
      .name = "repeated_retry_applied",
      .rules = {"RETRY-11"},
      .summary = "the same retry made again is carried out again",
  });
}

}  // namespace assay::mutants
