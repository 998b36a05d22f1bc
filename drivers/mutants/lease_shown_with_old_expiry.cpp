// lease_shown_with_old_expiry: the lease that one looks at ends earlier than the claim said.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class LeaseShownWithOldExpiry final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobView> get(Instant now, const Get& request) override {
    auto view = inner().get(now, request);
    if (view.ok() && view->lease) view->lease->expires_at -= Duration{1};
    return view;
  }
};

}  // namespace

Mutant lease_shown_with_old_expiry() {
  return around_memory<LeaseShownWithOldExpiry>({
      .name = "lease_shown_with_old_expiry",
      .rules = {"CLAIM-5"},
      .summary = "the lease that one looks at ends earlier than the claim said",
  });
}

}  // namespace assay::mutants
