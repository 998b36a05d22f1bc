// stale_token_is_not_found: a settle with another token is refused as an unknown job.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class StaleTokenIsNotFound final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status ack(Instant now, const Ack& request) override {
    auto acked = inner().ack(now, request);
    if (!acked.ok() && acked.error().reason == LeaseReason::mismatch)
      return not_found(acked.error().message);
    return acked;
  }
};

}  // namespace

Mutant stale_token_is_not_found() {
  return around_memory<StaleTokenIsNotFound>({
      .name = "stale_token_is_not_found",
      .rules = {"ERR-2"},
      .summary = "a settle with another token is refused as an unknown job",
  });
}

}  // namespace assay::mutants
