// due_one_tick_early: a job is handed out one tick before its run time.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DueOneTickEarly final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant claimable_from(const Record& record) const override {
    return Decisions::claimable_from(record) - Duration{1};
  }
};

}  // namespace

Mutant due_one_tick_early() {
  return within_memory<DueOneTickEarly>({
      .name = "due_one_tick_early",
      .rules = {"XSCHED-1", "SCHED-1"},
      .summary = "a job is handed out one tick before its run time",
  });
}

}  // namespace assay::mutants
