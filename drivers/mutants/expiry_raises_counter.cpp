// expiry_raises_counter: a lost lease raises the counter of failures.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExpiryRaisesCounter final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_expiry(const Record& record, Instant now, Random& jitter) const override {
    Outcome after = Decisions::on_expiry(record, now, jitter);
    after.attempts += 1;
    return after;
  }
};

}  // namespace

Mutant expiry_raises_counter() {
  return within_memory<ExpiryRaisesCounter>({
      .name = "expiry_raises_counter",
      .rules = {"RETRY-1"},
      .summary = "a lost lease raises the counter of failures",
  });
}

}  // namespace assay::mutants
