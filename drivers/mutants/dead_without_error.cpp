// dead_without_error: a dead letter does not keep the last error.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DeadWithoutError final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_fail(const Record& record, const Fail& request, Instant now) const override {
    Outcome after = Decisions::on_fail(record, request, now);
    after.dead->error.reset();
    after.last_error.reset();
    return after;
  }
};

}  // namespace

Mutant dead_without_error() {
  return within_memory<DeadWithoutError>({
      .name = "dead_without_error",
      .rules = {"DLQ-3"},
      .summary = "a dead letter does not keep the last error",
  });
}

}  // namespace assay::mutants
