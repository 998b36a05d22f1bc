// nack_answers_dead_and_retries: a nack says that the job is dead and retries it.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class NackAnswersDeadAndRetries final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Nacked> nack(Instant now, const Nack& request) override {
    auto nacked = inner().nack(now, request);
    if (nacked.ok()) *nacked = Nacked{JobState::dead, {}};
    return nacked;
  }
};

}  // namespace

Mutant nack_answers_dead_and_retries() {
  return around_memory<NackAnswersDeadAndRetries>({
      .name = "nack_answers_dead_and_retries",
      .rules = {"RETRY-6", "RETRY-4"},
      .summary = "a nack says that the job is dead and retries it",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
