// counter_not_stored: a retry leaves the counter as it was.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class CounterNotStored final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_retry(const Record& record, const Retry& request, Instant now) const override {
    Outcome after = Decisions::on_retry(record, request, now);
    after.attempts = record.job.attempts;
    return after;
  }
};

}  // namespace

Mutant counter_not_stored() {
  return within_memory<CounterNotStored>({
      .name = "counter_not_stored",
      .rules = {"RETRY-7", "RETRY-1"},
      .summary = "a retry leaves the counter as it was",
  });
}

}  // namespace assay::mutants
