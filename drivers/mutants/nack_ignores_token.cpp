// nack_ignores_token: a nack is taken whatever token it carries.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class NackIgnoresToken final : public Decisions {
 public:
  using Decisions::Decisions;

  bool matches(const Record& record, const Hold& hold, SettleKind kind) const override {
    return kind == SettleKind::nack || Decisions::matches(record, hold, kind);
  }
};

}  // namespace

Mutant nack_ignores_token() {
  return within_memory<NackIgnoresToken>({
      .name = "nack_ignores_token",
      .rules = {"FENCE-1"},
      .summary = "a nack is taken whatever token it carries",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
