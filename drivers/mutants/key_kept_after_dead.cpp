// key_kept_after_dead: a key stays taken after its job is dead.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyKeptAfterDead final : public Decisions {
 public:
  using Decisions::Decisions;

  bool releases_key(Stage entered) const override {
    return entered != Stage::dead && Decisions::releases_key(entered);
  }
};

}  // namespace

Mutant key_kept_after_dead() {
  return within_memory<KeyKeptAfterDead>({
      .name = "key_kept_after_dead",
      .rules = {"IDEMP-4", "IDEMP-5"},
      .summary = "a key stays taken after its job is dead",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
