// repetition_said_to_be_new: the very same enqueue made again is answered as a new job.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class RepetitionSaidToBeNew final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    auto made = inner().enqueue(now, request);
    if (made.ok() && request.job.id) made->existed = false;
    return made;
  }
};

}  // namespace

Mutant repetition_said_to_be_new() {
  return around_memory<RepetitionSaidToBeNew>({
      .name = "repetition_said_to_be_new",
      .rules = {"ENQ-3", "AVAIL-2"},
      .summary = "the very same enqueue made again is answered as a new job",
  });
}

}  // namespace assay::mutants
