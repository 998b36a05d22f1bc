// key_makes_second_job: a known key gives the id of its job and makes another job all the same.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class KeyMakesSecondJob final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    auto made = inner().enqueue(now, request);
    if (!made.ok() || !made->existed || !request.job.key) return made;
    Enqueue again = request;
    again.job.id.reset();
    again.job.key.reset();
    const auto second = inner().enqueue(now, again);
    return second.ok() ? made : second;
  }
};

}  // namespace

Mutant key_makes_second_job() {
  return around_memory<KeyMakesSecondJob>({
      .name = "key_makes_second_job",
      .rules = {"IDEMP-2"},
      .summary = "a known key gives the id of its job and makes another job all the same",
  });
}

}  // namespace assay::mutants
