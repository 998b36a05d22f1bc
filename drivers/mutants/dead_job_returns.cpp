// dead_job_returns: a dead job comes back by itself an hour later.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DeadJobReturns final : public Decisions {
 public:
  using Decisions::Decisions;

  bool stands_in_line(Stage stage) const override {
    return stage == Stage::dead || Decisions::stands_in_line(stage);
  }
  Instant claimable_from(const Record& record) const override {
    if (record.stage != Stage::dead) return Decisions::claimable_from(record);
    return later(record.dead->at, std::chrono::hours(1));
  }
};

}  // namespace

Mutant dead_job_returns() {
  return within_memory<DeadJobReturns>({
      .name = "dead_job_returns",
      .rules = {"DLQ-10"},
      .summary = "a dead job comes back by itself an hour later",
  });
}

}  // namespace assay::mutants
