// backoff_into_the_past: a retry time lies before the failure.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class BackoffIntoThePast final : public Decisions {
 public:
  using Decisions::Decisions;

  Duration backoff(std::int64_t failure, Random& jitter) const override {
    return -Decisions::backoff(failure, jitter);
  }
};

}  // namespace

Mutant backoff_into_the_past() {
  return within_memory<BackoffIntoThePast>({
      .name = "backoff_into_the_past",
      .rules = {"BACK-4"},
      .summary = "a retry time lies before the failure",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
