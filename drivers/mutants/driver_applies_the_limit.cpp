// driver_applies_the_limit: a retry whose counter reaches the limit makes the job dead.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DriverAppliesTheLimit final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_retry(const Record& record, const Retry& request, Instant now) const override {
    Outcome after = Decisions::on_retry(record, request, now);
    if (after.attempts >= runs_allowed(record)) {
      after.stage = Stage::dead;
      after.dead = DeadView{"limit reached", request.error, now};
    }
    return after;
  }
};

}  // namespace

Mutant driver_applies_the_limit() {
  return within_memory<DriverAppliesTheLimit>({
      .name = "driver_applies_the_limit",
      .rules = {"POLICY-1"},
      .summary = "a retry whose counter reaches the limit makes the job dead",
  });
}

}  // namespace assay::mutants
