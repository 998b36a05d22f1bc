// failure_counted_twice: a failure raises the counter by two.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class FailureCountedTwice final : public Decisions {
 public:
  using Decisions::Decisions;

  std::int64_t attempts_after_failure(const Record& record, bool dies) const override {
    return Decisions::attempts_after_failure(record, dies) + (dies ? 0 : 1);
  }
};

}  // namespace

Mutant failure_counted_twice() {
  return within_memory<FailureCountedTwice>({
      .name = "failure_counted_twice",
      .rules = {"RETRY-2"},
      .summary = "a failure raises the counter by two",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
