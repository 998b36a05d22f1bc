// nack_gives_no_time: a nack does not say when the job may run again.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class NackGivesNoTime final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Nacked> nack(Instant now, const Nack& request) override {
    auto nacked = inner().nack(now, request);
    if (nacked.ok()) nacked->run_at.reset();
    return nacked;
  }
};

}  // namespace

Mutant nack_gives_no_time() {
  return around_memory<NackGivesNoTime>({
      .name = "nack_gives_no_time",
      .rules = {"RETRY-4", "RETRY-3"},
      .summary = "a nack does not say when the job may run again",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
