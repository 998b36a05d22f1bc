// requeue_always_resets: a replay resets the counter without being asked.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RequeueAlwaysResets final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_replay(const Record& record, const Requeue& request, Instant now) const override {
    Outcome after = Decisions::on_replay(record, request, now);
    after.attempts = 0;
    return after;
  }
};

}  // namespace

Mutant requeue_always_resets() {
  return within_memory<RequeueAlwaysResets>({
      .name = "requeue_always_resets",
      .rules = {"XMAN-1"},
      .summary = "a replay resets the counter without being asked",
  });
}

}  // namespace assay::mutants
