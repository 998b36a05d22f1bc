// backoff_window_doubled: the first retry may wait as long as the second should.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class BackoffWindowDoubled final : public Decisions {
 public:
  using Decisions::Decisions;

  Duration backoff_window(std::int64_t failure) const override {
    return Decisions::backoff_window(failure + 1);
  }
};

}  // namespace

Mutant backoff_window_doubled() {
  return within_memory<BackoffWindowDoubled>({
      .name = "backoff_window_doubled",
      .rules = {"BACK-2"},
      .summary = "the first retry may wait as long as the second should",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
