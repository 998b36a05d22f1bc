// repeated_fail_refused: the same fail made again is refused.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RepeatedFailRefused final : public Decisions {
 public:
  using Decisions::Decisions;

  bool repeats(const Record& record, const Hold& hold, SettleKind kind) const override {
    return kind != SettleKind::fail && Decisions::repeats(record, hold, kind);
  }
};

}  // namespace

Mutant repeated_fail_refused() {
  return within_memory<RepeatedFailRefused>({
      .name = "repeated_fail_refused",
      .rules = {"RETRY-11"},
      .summary = "the same fail made again is refused",
  });
}

}  // namespace assay::mutants
