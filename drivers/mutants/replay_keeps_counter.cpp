// replay_keeps_counter: a replay makes a job that has already failed.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReplayKeepsCounter final : public Decisions {
 public:
  using Decisions::Decisions;

  NewJob fresh_copy(const Record& record, const Requeue& request, Instant now) const override {
    NewJob copy = Decisions::fresh_copy(record, request, now);
    copy.attempts = record.job.attempts;
    return copy;
  }
};

}  // namespace

Mutant replay_keeps_counter() {
  return within_memory<ReplayKeepsCounter>({
      .name = "replay_keeps_counter",
      .rules = {"DLQ-7"},
      .summary = "a replay makes a job that has already failed",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
