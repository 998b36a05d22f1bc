// retry_never_due: a job that waits for its retry is never handed out again.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RetryNeverDue final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant claimable_from(const Record& record) const override {
    return record.awaits_retry ? Instant::max() : Decisions::claimable_from(record);
  }
};

}  // namespace

Mutant retry_never_due() {
  return within_memory<RetryNeverDue>({
      .name = "retry_never_due",
      .rules = {"SCHED-6"},
      .summary = "a job that waits for its retry is never handed out again",
  });
}

}  // namespace assay::mutants
