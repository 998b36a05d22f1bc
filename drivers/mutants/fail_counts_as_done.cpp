// fail_counts_as_done: a failed job is taken as done.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class FailCountsAsDone final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_fail(const Record& record, const Fail& request, Instant now) const override {
    Outcome after = Decisions::on_fail(record, request, now);
    after.stage = Stage::done;
    after.dead.reset();
    return after;
  }
};

}  // namespace

Mutant fail_counts_as_done() {
  return within_memory<FailCountsAsDone>({
      .name = "fail_counts_as_done",
      .rules = {"DLQ-2"},
      .summary = "a failed job is taken as done",
  });
}

}  // namespace assay::mutants
