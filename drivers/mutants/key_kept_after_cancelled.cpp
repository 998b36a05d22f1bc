// key_kept_after_cancelled: a key stays taken after its job is cancelled.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyKeptAfterCancelled final : public Decisions {
 public:
  using Decisions::Decisions;

  bool releases_key(Stage entered) const override {
    return entered != Stage::cancelled && Decisions::releases_key(entered);
  }
};

}  // namespace

Mutant key_kept_after_cancelled() {
  return within_memory<KeyKeptAfterCancelled>({
      .name = "key_kept_after_cancelled",
      .rules = {"IDEMP-4", "IDEMP-5"},
      .summary = "a key stays taken after its job is cancelled",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
