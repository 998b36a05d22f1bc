// replayed_record_stays: a replay leaves the dead letter, which can be replayed again.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReplayedRecordStays final : public Decisions {
 public:
  using Decisions::Decisions;

  bool replay_takes_the_record() const override { return false; }
};

}  // namespace

Mutant replayed_record_stays() {
  return within_memory<ReplayedRecordStays>({
      .name = "replayed_record_stays",
      .rules = {"DLQ-7"},
      .summary = "a replay leaves the dead letter, which can be replayed again",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
