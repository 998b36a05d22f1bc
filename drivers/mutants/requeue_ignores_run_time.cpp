// requeue_ignores_run_time: a replay runs at once, whatever run time it asks for.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RequeueIgnoresRunTime final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_replay(const Record& record, const Requeue& request, Instant now) const override {
    Outcome after = Decisions::on_replay(record, request, now);
    after.run_at = now;
    return after;
  }
};

}  // namespace

Mutant requeue_ignores_run_time() {
  return within_memory<RequeueIgnoresRunTime>({
      .name = "requeue_ignores_run_time",
      .rules = {"XADMIN-3"},
      .summary = "a replay runs at once, whatever run time it asks for",
  });
}

}  // namespace assay::mutants
