// key_looked_up_then_taken: a key is looked up and taken in two steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyLookedUpThenTaken final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::key; }
};

}  // namespace

Mutant key_looked_up_then_taken() {
  return within_memory<KeyLookedUpThenTaken>({
      .name = "key_looked_up_then_taken",
      .rules = {"IDEMP-10"},
      .race = "one_key_makes_one_job",
      .summary = "a key is looked up and taken in two steps",
  });
}

}  // namespace assay::mutants
