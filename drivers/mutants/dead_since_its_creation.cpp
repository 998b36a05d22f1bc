// dead_since_its_creation: a dead letter is dated by the job, not by its death.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DeadSinceItsCreation final : public Decisions {
 public:
  using Decisions::Decisions;

  Outcome on_fail(const Record& record, const Fail& request, Instant now) const override {
    Outcome after = Decisions::on_fail(record, request, now);
    after.dead->at = *record.job.created_at;
    return after;
  }
};

}  // namespace

Mutant dead_since_its_creation() {
  return within_memory<DeadSinceItsCreation>({
      .name = "dead_since_its_creation",
      .rules = {"DLQ-3"},
      .summary = "a dead letter is dated by the job, not by its death",
  });
}

}  // namespace assay::mutants
