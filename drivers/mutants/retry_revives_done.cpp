// retry_revives_done: a retry of a done job puts it back in line.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RetryRevivesDone final : public Decisions {
 public:
  using Decisions::Decisions;

  bool may_settle(const Record& record, SettleKind kind) const override {
    const bool revives = kind == SettleKind::retry && record.stage == Stage::done;
    return revives || Decisions::may_settle(record, kind);
  }
};

}  // namespace

Mutant retry_revives_done() {
  return within_memory<RetryRevivesDone>({
      .name = "retry_revives_done",
      .rules = {"RETRY-9", "STATE-4"},
      .summary = "a retry of a done job puts it back in line",
  });
}

}  // namespace assay::mutants
