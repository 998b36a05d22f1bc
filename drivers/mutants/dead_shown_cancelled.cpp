// dead_shown_cancelled: a dead job is shown as cancelled where nobody can cancel.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class DeadShownCancelled final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobView> get(Instant now, const Get& request) override {
    auto view = inner().get(now, request);
    if (view.ok() && view->job.state == JobState::dead) view->job.state = JobState::cancelled;
    return view;
  }
};

}  // namespace

Mutant dead_shown_cancelled() {
  return around_memory<DeadShownCancelled>({
      .name = "dead_shown_cancelled",
      .rules = {"STATE-1"},
      .summary = "a dead job is shown as cancelled where nobody can cancel",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
