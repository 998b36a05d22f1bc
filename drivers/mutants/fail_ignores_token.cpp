// fail_ignores_token: a fail is taken whatever token it carries.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class FailIgnoresToken final : public Decisions {
 public:
  using Decisions::Decisions;

  bool matches(const Record& record, const Hold& hold, SettleKind kind) const override {
    return kind == SettleKind::fail || Decisions::matches(record, hold, kind);
  }
};

}  // namespace

Mutant fail_ignores_token() {
  return within_memory<FailIgnoresToken>({
      .name = "fail_ignores_token",
      .rules = {"FENCE-1"},
      .summary = "a fail is taken whatever token it carries",
  });
}

}  // namespace assay::mutants
