// expiry_never_counts: a job may lose its lease any number of times.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExpiryNeverCounts final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_expiry(const Record& record, Instant, Random&) const override {
    Outcome after = outcome_without_change(record);
    after.stage = Stage::waiting;
    after.run_at = record.lease->expires_at;
    return after;
  }
};

}  // namespace

Mutant expiry_never_counts() {
  return within_memory<ExpiryNeverCounts>({
      .name = "expiry_never_counts",
      .rules = {"RETRY-14"},
      .summary = "a job may lose its lease any number of times",
  });
}

}  // namespace assay::mutants
