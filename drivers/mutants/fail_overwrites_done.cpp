// fail_overwrites_done: a fail of a done job makes it dead.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class FailOverwritesDone final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_settle(const Record& record, SettleKind kind) const override {
    const bool overwrites = kind == SettleKind::fail && record.stage == Stage::done;
    return overwrites || Decisions::may_settle(record, kind);
  }
};

}  // namespace

Mutant fail_overwrites_done() {
  return within_memory<FailOverwritesDone>({
      .name = "fail_overwrites_done",
      .rules = {"STATE-4"},
      .summary = "a fail of a done job makes it dead",
  });
}

}  // namespace assay::mutants
