// extend_revives_done: an extension by the last holder makes a done job held again.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtendRevivesDone final : public Decisions {
 public:
  using Decisions::Decisions;

  bool keeps_lease(Stage entered) const override { return entered == Stage::done; }
  bool is_held(const Record& record) const override { return record.lease.has_value(); }
};

}  // namespace

Mutant extend_revives_done() {
  return within_memory<ExtendRevivesDone>({
      .name = "extend_revives_done",
      .rules = {"LEASE-6", "STATE-4"},
      .summary = "an extension by the last holder makes a done job held again",
  });
}

}  // namespace assay::mutants
