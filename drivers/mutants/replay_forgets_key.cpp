// replay_forgets_key: a replay makes a job that does not take the key back.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReplayForgetsKey final : public Decisions {
 public:
  using Decisions::Decisions;

  bool replay_takes_the_key() const override { return false; }
};

}  // namespace

Mutant replay_forgets_key() {
  return within_memory<ReplayForgetsKey>({
      .name = "replay_forgets_key",
      .rules = {"IDEMP-7"},
      .summary = "a replay makes a job that does not take the key back",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
