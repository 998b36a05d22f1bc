// expiry_backs_off: a job whose lease expired waits a while before it can be claimed.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExpiryBacksOff final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_expiry(const Record& record, Instant now, Random& jitter) const override {
    Outcome after = Decisions::on_expiry(record, now, jitter);
    if (after.stage == Stage::waiting) after.run_at = later(now, profile().backoff.base);
    return after;
  }
};

}  // namespace

Mutant expiry_backs_off() {
  return within_memory<ExpiryBacksOff>({
      .name = "expiry_backs_off",
      .rules = {"XLEASE-2"},
      .summary = "a job whose lease expired waits a while before it can be claimed",
  });
}

}  // namespace assay::mutants
