// key_not_shown: the key of a job is missing when one looks at it.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class KeyNotShown final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobView> get(Instant now, const Get& request) override {
    auto view = inner().get(now, request);
    if (view.ok()) view->job.key.reset();
    return view;
  }
};

}  // namespace

Mutant key_not_shown() {
  return around_memory<KeyNotShown>({
      .name = "key_not_shown",
      .rules = {"ENQ-6"},
      .summary = "the key of a job is missing when one looks at it",
  });
}

}  // namespace assay::mutants
