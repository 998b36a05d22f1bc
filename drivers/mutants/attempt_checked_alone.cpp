// attempt_checked_alone: a settle needs the attempt number alone, not the token.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AttemptCheckedAlone final : public Decisions {
 public:
  using Decisions::Decisions;

  bool matches(const Record& record, const Hold& hold, SettleKind) const override {
    return hold.attempt == record.lease->attempt;
  }
};

}  // namespace

Mutant attempt_checked_alone() {
  return within_memory<AttemptCheckedAlone>({
      .name = "attempt_checked_alone",
      .rules = {"FENCE-1"},
      .summary = "a settle needs the attempt number alone, not the token",
      .profile = "trace",
  });
}

}  // namespace assay::mutants
