// requeue_ignores_reset: a replay keeps the counter although a reset was asked for.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RequeueIgnoresReset final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_replay(const Record& record, const Requeue& request, Instant now) const override {
    Outcome after = Decisions::on_replay(record, request, now);
    after.attempts = record.job.attempts;
    return after;
  }
};

}  // namespace

Mutant requeue_ignores_reset() {
  return within_memory<RequeueIgnoresReset>({
      .name = "requeue_ignores_reset",
      .rules = {"XADMIN-3"},
      .summary = "a replay keeps the counter although a reset was asked for",
  });
}

}  // namespace assay::mutants
