// canary: an ack is taken whatever token it carries.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class Canary final : public Decisions {
 public:
  using Decisions::Decisions;

  bool matches(const Record& record, const Hold& hold, SettleKind kind) const override {
    return kind == SettleKind::ack || Decisions::matches(record, hold, kind);
  }
};

}  // namespace

Mutant canary() {
  return within_memory<Canary>({
      .name = "canary",
      .rules = {"FENCE-1", "FENCE-2"},
      .summary = "an ack is taken whatever token it carries",
  });
}

}  // namespace assay::mutants
