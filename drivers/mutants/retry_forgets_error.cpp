// retry_forgets_error: a retry does not store the error.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RetryForgetsError final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_retry(const Record& record, const Retry& request, Instant now) const override {
    Outcome after = Decisions::on_retry(record, request, now);
    after.last_error.reset();
    return after;
  }
};

}  // namespace

Mutant retry_forgets_error() {
  return within_memory<RetryForgetsError>({
      .name = "retry_forgets_error",
      .rules = {"RETRY-7"},
      .summary = "a retry does not store the error",
  });
}

}  // namespace assay::mutants
