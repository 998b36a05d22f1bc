// exhausted_counts_as_done: a job whose budget is used is taken as done.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExhaustedCountsAsDone final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_nack(const Record& record, const Nack& request, Instant now,
                  Random& jitter) const override {
    Outcome after = Decisions::on_nack(record, request, now, jitter);
    if (after.stage == Stage::dead && !request.unrecoverable) {
      after.stage = Stage::done;
      after.dead.reset();
    }
    return after;
  }
};

}  // namespace

Mutant exhausted_counts_as_done() {
  return within_memory<ExhaustedCountsAsDone>({
      .name = "exhausted_counts_as_done",
      .rules = {"DLQ-1"},
      .summary = "a job whose budget is used is taken as done",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
