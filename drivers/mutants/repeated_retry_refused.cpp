// repeated_retry_refused: the same retry made again is refused.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RepeatedRetryRefused final : public Decisions {
 public:
  using Decisions::Decisions;

  bool repeats(const Record& record, const Hold& hold, SettleKind kind) const override {
    return kind != SettleKind::retry && Decisions::repeats(record, hold, kind);
  }
};

}  // namespace

Mutant repeated_retry_refused() {
  return within_memory<RepeatedRetryRefused>({
      .name = "repeated_retry_refused",
      .rules = {"RETRY-11"},
      .summary = "the same retry made again is refused",
  });
}

}  // namespace assay::mutants
