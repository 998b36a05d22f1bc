// driver_retries_failed: a fail with budget left puts the job back in line.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DriverRetriesFailed final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_fail(const Record& record, const Fail& request, Instant now) const override {
    Outcome after = Decisions::on_fail(record, request, now);
    if (after.attempts < runs_allowed(record)) {
      after.stage = Stage::waiting;
      after.run_at = now;
      after.dead.reset();
    }
    return after;
  }
};

}  // namespace

Mutant driver_retries_failed() {
  return within_memory<DriverRetriesFailed>({
      .name = "driver_retries_failed",
      .rules = {"DLQ-2"},
      .summary = "a fail with budget left puts the job back in line",
  });
}

}  // namespace assay::mutants
