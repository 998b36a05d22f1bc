// unknown_job_is_acked: an ack of an unknown job succeeds.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class UnknownJobIsAcked final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status ack(Instant now, const Ack& request) override {
    auto acked = inner().ack(now, request);
    if (!acked.ok() && acked.error().code == ErrorCode::not_found) return Done{};
    return acked;
  }
};

}  // namespace

Mutant unknown_job_is_acked() {
  return around_memory<UnknownJobIsAcked>({
      .name = "unknown_job_is_acked",
      .rules = {"ERR-1"},
      .summary = "an ack of an unknown job succeeds",
  });
}

}  // namespace assay::mutants
