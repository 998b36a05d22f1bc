// requeue_changes_nothing: a replay is answered with success and the job stays dead.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class RequeueChangesNothing final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Requeued> requeue(Instant now, const Requeue& request) override {
    const auto view = inner().get(now, {request.job_id});
    if (view.ok() && view->job.state == JobState::dead) return Requeued{request.job_id};
    return inner().requeue(now, request);
  }
};

}  // namespace

Mutant requeue_changes_nothing() {
  return around_memory<RequeueChangesNothing>({
      .name = "requeue_changes_nothing",
      .rules = {"DLQ-5", "XADMIN-3"},
      .summary = "a replay is answered with success and the job stays dead",
  });
}

}  // namespace assay::mutants
