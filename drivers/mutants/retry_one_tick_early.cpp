// retry_one_tick_early: a job is handed out one tick before its retry time.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RetryOneTickEarly final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant claimable_from(const Record& record) const override {
    return Decisions::claimable_from(record) - Duration{record.awaits_retry ? 1 : 0};
  }
};

}  // namespace

Mutant retry_one_tick_early() {
  return within_memory<RetryOneTickEarly>({
      .name = "retry_one_tick_early",
      .rules = {"SCHED-5"},
      .summary = "a job is handed out one tick before its retry time",
  });
}

}  // namespace assay::mutants
