// expiry_counts_twice: a lost lease uses the budget of two.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExpiryCountsTwice final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_expiry(const Record& record, Instant now, Random& jitter) const override {
    Record worse = record;
    ++worse.lease_losses;
    return Decisions::on_expiry(worse, now, jitter);
  }
};

}  // namespace

Mutant expiry_counts_twice() {
  return within_memory<ExpiryCountsTwice>({
      .name = "expiry_counts_twice",
      .rules = {"RETRY-14"},
      .summary = "a lost lease uses the budget of two",
  });
}

}  // namespace assay::mutants
