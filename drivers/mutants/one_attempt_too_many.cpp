// one_attempt_too_many: a job gets one attempt more than its limit.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class OneAttemptTooMany final : public Decisions {
 public:
  using Decisions::Decisions;

  std::int64_t runs_allowed(const Record& record) const override {
    return Decisions::runs_allowed(record) + 1;
  }
};

}  // namespace

Mutant one_attempt_too_many() {
  return within_memory<OneAttemptTooMany>({
      .name = "one_attempt_too_many",
      .rules = {"RETRY-6", "RETRY-5"},
      .summary = "a job gets one attempt more than its limit",
      .profile = "trace",
  });
}

}  // namespace assay::mutants
