// fail_counter_not_stored: a fail leaves the counter as it was.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class FailCounterNotStored final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_fail(const Record& record, const Fail& request, Instant now) const override {
    Outcome after = Decisions::on_fail(record, request, now);
    after.attempts = record.job.attempts;
    return after;
  }
};

}  // namespace

Mutant fail_counter_not_stored() {
  return within_memory<FailCounterNotStored>({
      .name = "fail_counter_not_stored",
      .rules = {"RETRY-1"},
      .summary = "a fail leaves the counter as it was",
  });
}

}  // namespace assay::mutants
