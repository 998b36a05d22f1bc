// attempts_without_end: a job whose attempts run out by lost leases gets another.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AttemptsWithoutEnd final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_expiry(const Record& record, Instant now, Random& jitter) const override {
    Record unlimited = record;
    unlimited.job.max_attempts = INT64_MAX;
    return Decisions::on_expiry(unlimited, now, jitter);
  }
};

}  // namespace

Mutant attempts_without_end() {
  return within_memory<AttemptsWithoutEnd>({
      .name = "attempts_without_end",
      .rules = {"RETRY-14"},
      .summary = "a job whose attempts run out by lost leases gets another",
      .profile = "trace",
  });
}

}  // namespace assay::mutants
