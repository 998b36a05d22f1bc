// key_forgotten: keys are stored and never looked up.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyForgotten final : public Decisions {
 public:
  using Decisions::Decisions;

  bool releases_key(Stage) const override { return true; }
};

}  // namespace

Mutant key_forgotten() {
  return within_memory<KeyForgotten>({
      .name = "key_forgotten",
      .rules = {"IDEMP-1", "IDEMP-2"},
      .summary = "keys are stored and never looked up",
  });
}

}  // namespace assay::mutants
