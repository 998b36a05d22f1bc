// held_shown_ready: a held job is shown as ready.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class HeldShownReady final : public Decisions {
 public:
  using Decisions::Decisions;

  JobState shown_state(const Record& record, Instant now) const override {
    const JobState state = Decisions::shown_state(record, now);
    return state == JobState::leased ? JobState::ready : state;
  }
};

}  // namespace

Mutant held_shown_ready() {
  return within_memory<HeldShownReady>({
      .name = "held_shown_ready",
      .rules = {"CLAIM-8"},
      .summary = "a held job is shown as ready",
  });
}

}  // namespace assay::mutants
