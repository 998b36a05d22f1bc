// creation_shown_as_now: a job is shown as if created when one looks at it.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class CreationShownAsNow final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobView> get(Instant now, const Get& request) override {
    auto view = inner().get(now, request);
    if (view.ok()) view->job.created_at = now;
    return view;
  }
};

}  // namespace

Mutant creation_shown_as_now() {
  return around_memory<CreationShownAsNow>({
      .name = "creation_shown_as_now",
      .rules = {"ENQ-6"},
      .summary = "a job is shown as if created when one looks at it",
  });
}

}  // namespace assay::mutants
