// refused_replay_drops_record: a refused replay removes the dead letter all the same.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RefusedReplayDropsRecord final : public Decisions {
 public:
  using Decisions::Decisions;

  void on_refused_replay(Record& record) const override { record.replayed = true; }
};

}  // namespace

Mutant refused_replay_drops_record() {
  return within_memory<RefusedReplayDropsRecord>({
      .name = "refused_replay_drops_record",
      .rules = {"DLQ-8"},
      .summary = "a refused replay removes the dead letter all the same",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
