// cancel_changes_nothing: a cancel is answered with success and the job goes on.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class CancelChangesNothing final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Cancelled> cancel(Instant now, const Cancel& request) override {
    const auto view = inner().get(now, {request.job_id});
    if (view.ok() && !is_terminal(view.value().job.state)) return Cancelled{};
    return inner().cancel(now, request);
  }
};

}  // namespace

Mutant cancel_changes_nothing() {
  return around_memory<CancelChangesNothing>({
      .name = "cancel_changes_nothing",
      .rules = {"CANCEL-1"},
      .summary = "a cancel is answered with success and the job goes on",
  });
}

}  // namespace assay::mutants
