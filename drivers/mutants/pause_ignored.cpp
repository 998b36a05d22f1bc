// pause_ignored: a paused queue is served.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class PauseIgnored final : public Decisions {
 public:
  using Decisions::Decisions;

  bool holds_back(bool) const override { return false; }
};

}  // namespace

Mutant pause_ignored() {
  return within_memory<PauseIgnored>({
      .name = "pause_ignored",
      .rules = {"PAUSE-1"},
      .summary = "a paused queue is served",
  });
}

}  // namespace assay::mutants
