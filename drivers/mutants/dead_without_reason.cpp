// dead_without_reason: a dead letter does not say why.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DeadWithoutReason final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_fail(const Record& record, const Fail& request, Instant now) const override {
    Outcome after = Decisions::on_fail(record, request, now);
    after.dead->reason.clear();
    return after;
  }
};

}  // namespace

Mutant dead_without_reason() {
  return within_memory<DeadWithoutReason>({
      .name = "dead_without_reason",
      .rules = {"DLQ-3"},
      .summary = "a dead letter does not say why",
  });
}

}  // namespace assay::mutants
