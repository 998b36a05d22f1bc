// scheduled_shown_ready: a job whose run time has not come is shown as ready.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ScheduledShownReady final : public Decisions {
 public:
  using Decisions::Decisions;

  JobState shown_state(const Record& record, Instant now) const override {
    const JobState state = Decisions::shown_state(record, now);
    return state == JobState::scheduled ? JobState::ready : state;
  }
};

}  // namespace

Mutant scheduled_shown_ready() {
  return within_memory<ScheduledShownReady>({
      .name = "scheduled_shown_ready",
      .rules = {"ENQ-2"},
      .summary = "a job whose run time has not come is shown as ready",
  });
}

}  // namespace assay::mutants
