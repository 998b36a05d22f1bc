// mismatch_named_before_expiry: a late ack with another token is refused for the token, not for
// the expiry.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class MismatchNamedBeforeExpiry final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status ack(Instant now, const Ack& request) override {
    auto acked = inner().ack(now, request);
    if (acked.ok() || acked.error().reason != LeaseReason::expired) return acked;
    const auto view = inner().get(now, {request.hold.job_id});
    if (!view.ok() || !view.value().lease || view.value().lease->token == request.hold.token)
      return acked;
    return lease_lost(LeaseReason::mismatch, acked.error().message);
  }
};

}  // namespace

Mutant mismatch_named_before_expiry() {
  return around_memory<MismatchNamedBeforeExpiry>({
      .name = "mismatch_named_before_expiry",
      .rules = {"XERR-1"},
      .summary = "a late ack with another token is refused for the token, not for the expiry",
  });
}

}  // namespace assay::mutants
