// counter_raised_twice: a retry raises the counter once more than the engine says.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class CounterRaisedTwice final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_retry(const Record& record, const Retry& request, Instant now) const override {
    Outcome after = Decisions::on_retry(record, request, now);
    after.attempts += 1;
    return after;
  }
};

}  // namespace

Mutant counter_raised_twice() {
  return within_memory<CounterRaisedTwice>({
      .name = "counter_raised_twice",
      .rules = {"RETRY-7", "RETRY-1"},
      .summary = "a retry raises the counter once more than the engine says",
  });
}

}  // namespace assay::mutants
