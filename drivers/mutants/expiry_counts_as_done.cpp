// expiry_counts_as_done: a job whose lease expires is taken as done.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExpiryCountsAsDone final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_expiry(const Record& record, Instant, Random&) const override {
    Outcome after = outcome_without_change(record);
    after.stage = Stage::done;
    return after;
  }
};

}  // namespace

Mutant expiry_counts_as_done() {
  return within_memory<ExpiryCountsAsDone>({
      .name = "expiry_counts_as_done",
      .rules = {"DELIV-5"},
      .summary = "a job whose lease expires is taken as done",
  });
}

}  // namespace assay::mutants
