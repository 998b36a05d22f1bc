// counter_read_then_written: a claim reads the counter and writes it back in two steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class CounterReadThenWritten final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::counter; }
};

}  // namespace

Mutant counter_read_then_written() {
  return within_memory<CounterReadThenWritten>({
      .name = "counter_read_then_written",
      .rules = {"RETRY-1", "RETRY-7"},
      .race = "a_retry_meets_the_next_claim",
      .summary = "a claim reads the counter and writes it back in two steps",
  });
}

}  // namespace assay::mutants
