// get_forgets_dead: a dead job is not found.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class GetForgetsDead final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobView> get(Instant now, const Get& request) override {
    auto view = inner().get(now, request);
    if (view.ok() && view->job.state == JobState::dead)
      return not_found("no job is called " + request.job_id);
    return view;
  }
};

}  // namespace

Mutant get_forgets_dead() {
  return around_memory<GetForgetsDead>({
      .name = "get_forgets_dead",
      .rules = {"ADMIN-1", "DUR-2"},
      .summary = "a dead job is not found",
  });
}

}  // namespace assay::mutants
