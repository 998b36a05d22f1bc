// scheduled_never_due: a scheduled job is never handed out.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ScheduledNeverDue final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant claimable_from(const Record& record) const override {
    const bool scheduled = record.version == 0 && record.job.run_at > record.job.created_at;
    return scheduled ? Instant::max() : Decisions::claimable_from(record);
  }
};

}  // namespace

Mutant scheduled_never_due() {
  return within_memory<ScheduledNeverDue>({
      .name = "scheduled_never_due",
      .rules = {"SCHED-2"},
      .summary = "a scheduled job is never handed out",
  });
}

}  // namespace assay::mutants
