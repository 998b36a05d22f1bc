// counter_above_limit_accepted: a job with more failures than its limit is accepted.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class CounterAboveLimitAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  Objection refuses(const Enqueue& request, Instant now) const override {
    if (request.job.attempts > request.job.max_attempts) return std::nullopt;
    return Decisions::refuses(request, now);
  }
};

}  // namespace

Mutant counter_above_limit_accepted() {
  return within_memory<CounterAboveLimitAccepted>({
      .name = "counter_above_limit_accepted",
      .rules = {"XVAL-1"},
      .summary = "a job with more failures than its limit is accepted",
  });
}

}  // namespace assay::mutants
