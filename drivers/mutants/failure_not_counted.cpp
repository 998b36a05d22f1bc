// failure_not_counted: a failure does not raise the counter.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class FailureNotCounted final : public Decisions {
 public:
  using Decisions::Decisions;

  std::int64_t attempts_after_failure(const Record& record, bool dies) const override {
    return dies ? Decisions::attempts_after_failure(record, dies) : record.job.attempts;
  }
};

}  // namespace

Mutant failure_not_counted() {
  return within_memory<FailureNotCounted>({
      .name = "failure_not_counted",
      .rules = {"RETRY-2"},
      .summary = "a failure does not raise the counter",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
