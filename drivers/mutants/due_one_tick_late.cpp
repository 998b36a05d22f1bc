// due_one_tick_late: a job cannot be claimed before the tick after its run time.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DueOneTickLate final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant claimable_from(const Record& record) const override {
    return Decisions::claimable_from(record) + Duration{1};
  }
};

}  // namespace

Mutant due_one_tick_late() {
  return within_memory<DueOneTickLate>({
      .name = "due_one_tick_late",
      .rules = {"XSCHED-1"},
      .summary = "a job cannot be claimed before the tick after its run time",
  });
}

}  // namespace assay::mutants
