// refused_call_raises_counter: a refused settle raises the counter all the same.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RefusedCallRaisesCounter final : public Decisions {
 public:
  using Decisions::Decisions;

  void on_refusal(Record& record) const override { ++record.job.attempts; }
};

}  // namespace

Mutant refused_call_raises_counter() {
  return within_memory<RefusedCallRaisesCounter>({
      .name = "refused_call_raises_counter",
      .rules = {"FENCE-4"},
      .summary = "a refused settle raises the counter all the same",
  });
}

}  // namespace assay::mutants
