// refused_call_moves_expiry: a refused settle or extension prolongs the lease of the holder.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RefusedCallMovesExpiry final : public Decisions {
 public:
  using Decisions::Decisions;

  void on_refusal(Record& record) const override {
    if (record.lease) record.lease->expires_at += Duration{1};
  }
};

}  // namespace

Mutant refused_call_moves_expiry() {
  return within_memory<RefusedCallMovesExpiry>({
      .name = "refused_call_moves_expiry",
      .rules = {"FENCE-4"},
      .summary = "a refused settle or extension prolongs the lease of the holder",
  });
}

}  // namespace assay::mutants
