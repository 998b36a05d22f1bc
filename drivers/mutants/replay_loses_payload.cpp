// replay_loses_payload: a replay makes a job without the payload.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReplayLosesPayload final : public Decisions {
 public:
  using Decisions::Decisions;

  NewJob fresh_copy(const Record& record, const Requeue& request, Instant now) const override {
    NewJob copy = Decisions::fresh_copy(record, request, now);
    copy.payload.clear();
    return copy;
  }
};

}  // namespace

Mutant replay_loses_payload() {
  return within_memory<ReplayLosesPayload>({
      .name = "replay_loses_payload",
      .rules = {"DLQ-7", "ENQ-6"},
      .summary = "a replay makes a job without the payload",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
