// repeated_ack_refused: the same ack made again is refused.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RepeatedAckRefused final : public Decisions {
 public:
  using Decisions::Decisions;

  bool repeats(const Record& record, const Hold& hold, SettleKind kind) const override {
    return kind != SettleKind::ack && Decisions::repeats(record, hold, kind);
  }
};

}  // namespace

Mutant repeated_ack_refused() {
  return within_memory<RepeatedAckRefused>({
      .name = "repeated_ack_refused",
      .rules = {"ACK-2", "AVAIL-2"},
      .summary = "the same ack made again is refused",
  });
}

}  // namespace assay::mutants
