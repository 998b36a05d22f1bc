// requeue_refused: a dead job cannot be replayed.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RequeueRefused final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_replay(const Record&) const override { return false; }
};

}  // namespace

Mutant requeue_refused() {
  return within_memory<RequeueRefused>({
      .name = "requeue_refused",
      .rules = {"DLQ-5"},
      .summary = "a dead job cannot be replayed",
  });
}

}  // namespace assay::mutants
