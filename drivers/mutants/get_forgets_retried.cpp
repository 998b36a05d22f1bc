// get_forgets_retried: a job that failed once is not found while it waits.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class GetForgetsRetried final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobView> get(Instant now, const Get& request) override {
    auto view = inner().get(now, request);
    if (view.ok() && view->job.last_error && view->job.state == JobState::scheduled)
      return not_found("no job is called " + request.job_id);
    return view;
  }
};

}  // namespace

Mutant get_forgets_retried() {
  return around_memory<GetForgetsRetried>({
      .name = "get_forgets_retried",
      .rules = {"ADMIN-1", "DUR-2"},
      .summary = "a job that failed once is not found while it waits",
  });
}

}  // namespace assay::mutants
