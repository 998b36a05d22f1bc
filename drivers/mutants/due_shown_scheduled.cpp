// due_shown_scheduled: a job that was scheduled is shown so even when it is due.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DueShownScheduled final : public Decisions {
 public:
  using Decisions::Decisions;

  JobState shown_state(const Record& record, Instant now) const override {
    const JobState state = Decisions::shown_state(record, now);
    const bool was_scheduled = record.job.run_at > record.job.created_at;
    return state == JobState::ready && was_scheduled ? JobState::scheduled : state;
  }
};

}  // namespace

Mutant due_shown_scheduled() {
  return within_memory<DueShownScheduled>({
      .name = "due_shown_scheduled",
      .rules = {"SCHED-4"},
      .summary = "a job that was scheduled is shown so even when it is due",
  });
}

}  // namespace assay::mutants
