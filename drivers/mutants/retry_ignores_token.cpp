// retry_ignores_token: a retry is taken whatever token it carries.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RetryIgnoresToken final : public Decisions {
 public:
  using Decisions::Decisions;

  bool matches(const Record& record, const Hold& hold, SettleKind kind) const override {
    return kind == SettleKind::retry || Decisions::matches(record, hold, kind);
  }
};

}  // namespace

Mutant retry_ignores_token() {
  return within_memory<RetryIgnoresToken>({
      .name = "retry_ignores_token",
      .rules = {"FENCE-1"},
      .summary = "a retry is taken whatever token it carries",
  });
}

}  // namespace assay::mutants
