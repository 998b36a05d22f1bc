// key_released_at_done: a key that should last for ever is released when its job is done.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyReleasedAtDone final : public Decisions {
 public:
  using Decisions::Decisions;

  bool releases_key(Stage entered) const override { return entered == Stage::done; }
};

}  // namespace

Mutant key_released_at_done() {
  return within_memory<KeyReleasedAtDone>({
      .name = "key_released_at_done",
      .rules = {"IDEMP-1"},
      .summary = "a key that should last for ever is released when its job is done",
  });
}

}  // namespace assay::mutants
