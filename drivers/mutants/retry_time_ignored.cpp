// retry_time_ignored: a job that waits for its retry is handed out at once.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RetryTimeIgnored final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant claimable_from(const Record& record) const override {
    return record.awaits_retry ? *record.job.created_at : Decisions::claimable_from(record);
  }
};

}  // namespace

Mutant retry_time_ignored() {
  return within_memory<RetryTimeIgnored>({
      .name = "retry_time_ignored",
      .rules = {"SCHED-5"},
      .summary = "a job that waits for its retry is handed out at once",
  });
}

}  // namespace assay::mutants
