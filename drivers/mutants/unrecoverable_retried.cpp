// unrecoverable_retried: an unrecoverable failure is retried like any other.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class UnrecoverableRetried final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_nack(const Record& record, const Nack& request, Instant now,
                  Random& jitter) const override {
    Nack milder = request;
    milder.unrecoverable = false;
    return Decisions::on_nack(record, milder, now, jitter);
  }
};

}  // namespace

Mutant unrecoverable_retried() {
  return within_memory<UnrecoverableRetried>({
      .name = "unrecoverable_retried",
      .rules = {"RETRY-13"},
      .summary = "an unrecoverable failure is retried like any other",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
