// attempt_number_not_raised: the attempt after a failure has the same number.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AttemptNumberNotRaised final : public Decisions {
 public:
  using Decisions::Decisions;

  std::int64_t attempts_after_failure(const Record& record, bool dies) const override {
    return dies ? Decisions::attempts_after_failure(record, dies) : record.job.attempts;
  }
};

}  // namespace

Mutant attempt_number_not_raised() {
  return within_memory<AttemptNumberNotRaised>({
      .name = "attempt_number_not_raised",
      .rules = {"RETRY-2"},
      .summary = "the attempt after a failure has the same number",
      .profile = "trace",
  });
}

}  // namespace assay::mutants
