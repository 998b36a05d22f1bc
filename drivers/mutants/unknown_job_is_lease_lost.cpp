// unknown_job_is_lease_lost: a settle of an unknown job is refused as a lost lease.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class UnknownJobIsLeaseLost final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status ack(Instant now, const Ack& request) override {
    auto acked = inner().ack(now, request);
    if (!acked.ok() && acked.error().code == ErrorCode::not_found)
      return lease_lost(LeaseReason::not_held, acked.error().message);
    return acked;
  }
};

}  // namespace

Mutant unknown_job_is_lease_lost() {
  return around_memory<UnknownJobIsLeaseLost>({
      .name = "unknown_job_is_lease_lost",
      .rules = {"ERR-1"},
      .summary = "a settle of an unknown job is refused as a lost lease",
  });
}

}  // namespace assay::mutants
