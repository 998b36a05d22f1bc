// key_released_at_claim: a key is free again as soon as its job is claimed.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyReleasedAtClaim final : public Decisions {
 public:
  using Decisions::Decisions;

  bool releases_key(Stage entered) const override {
    return entered == Stage::leased || Decisions::releases_key(entered);
  }
};

}  // namespace

Mutant key_released_at_claim() {
  return within_memory<KeyReleasedAtClaim>({
      .name = "key_released_at_claim",
      .rules = {"IDEMP-3"},
      .summary = "a key is free again as soon as its job is claimed",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
