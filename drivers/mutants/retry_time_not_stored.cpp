// retry_time_not_stored: a retry is due at once, whatever the engine says.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RetryTimeNotStored final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_retry(const Record& record, const Retry& request, Instant now) const override {
    Outcome after = Decisions::on_retry(record, request, now);
    after.run_at = now;
    return after;
  }
};

}  // namespace

Mutant retry_time_not_stored() {
  return within_memory<RetryTimeNotStored>({
      .name = "retry_time_not_stored",
      .rules = {"RETRY-7"},
      .summary = "a retry is due at once, whatever the engine says",
  });
}

}  // namespace assay::mutants
