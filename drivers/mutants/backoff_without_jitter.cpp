// backoff_without_jitter: equal failures wait equally long.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class BackoffWithoutJitter final : public Decisions {
 public:
  using Decisions::Decisions;

  Duration backoff(std::int64_t failure, Random&) const override { return backoff_window(failure); }
};

}  // namespace

Mutant backoff_without_jitter() {
  return within_memory<BackoffWithoutJitter>({
      .name = "backoff_without_jitter",
      .rules = {"BACK-5"},
      .summary = "equal failures wait equally long",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
