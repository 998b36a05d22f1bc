// attempt_not_checked: a settle needs the token alone, not the attempt number.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AttemptNotChecked final : public Decisions {
 public:
  using Decisions::Decisions;

  bool matches(const Record& record, const Hold& hold, SettleKind) const override {
    return hold.token == record.lease->token;
  }
};

}  // namespace

Mutant attempt_not_checked() {
  return within_memory<AttemptNotChecked>({
      .name = "attempt_not_checked",
      .rules = {"FENCE-7"},
      .summary = "a settle needs the token alone, not the attempt number",
      .profile = "trace",
  });
}

}  // namespace assay::mutants
