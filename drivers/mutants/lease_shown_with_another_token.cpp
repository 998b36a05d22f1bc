// lease_shown_with_another_token: the lease that one looks at has another token than the claim
// gave.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class LeaseShownWithAnotherToken final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobView> get(Instant now, const Get& request) override {
    auto view = inner().get(now, request);
    if (view.ok() && view->lease) view->lease->token += "-old";
    return view;
  }
};

}  // namespace

Mutant lease_shown_with_another_token() {
  return around_memory<LeaseShownWithAnotherToken>({
      .name = "lease_shown_with_another_token",
      .rules = {"FENCE-11"},
      .summary = "the lease that one looks at has another token than the claim gave",
  });
}

}  // namespace assay::mutants
