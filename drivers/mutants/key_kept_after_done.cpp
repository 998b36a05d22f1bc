// key_kept_after_done: a key stays taken after its job is done.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyKeptAfterDone final : public Decisions {
 public:
  using Decisions::Decisions;

  bool releases_key(Stage entered) const override {
    return entered != Stage::done && Decisions::releases_key(entered);
  }
};

}  // namespace

Mutant key_kept_after_done() {
  return within_memory<KeyKeptAfterDone>({
      .name = "key_kept_after_done",
      .rules = {"IDEMP-4", "IDEMP-5"},
      .summary = "a key stays taken after its job is done",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
