// requeue_of_any_job: a job that is not dead can be replayed too.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RequeueOfAnyJob final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_replay(const Record&) const override { return true; }
};

}  // namespace

Mutant requeue_of_any_job() {
  return within_memory<RequeueOfAnyJob>({
      .name = "requeue_of_any_job",
      .rules = {"XADMIN-3"},
      .summary = "a job that is not dead can be replayed too",
  });
}

}  // namespace assay::mutants
