// run_time_ignored: a scheduled job is handed out at once.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RunTimeIgnored final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant claimable_from(const Record& record) const override {
    return record.awaits_retry ? Decisions::claimable_from(record) : *record.job.created_at;
  }
};

}  // namespace

Mutant run_time_ignored() {
  return within_memory<RunTimeIgnored>({
      .name = "run_time_ignored",
      .rules = {"SCHED-1", "CLAIM-2"},
      .summary = "a scheduled job is handed out at once",
  });
}

}  // namespace assay::mutants
