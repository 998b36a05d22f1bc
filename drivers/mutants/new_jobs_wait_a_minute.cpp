// new_jobs_wait_a_minute: a job can be claimed only a minute after its enqueue.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class NewJobsWaitAMinute final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant claimable_from(const Record& record) const override {
    const Instant from = Decisions::claimable_from(record);
    return record.version == 0 ? later(from, std::chrono::minutes(1)) : from;
  }
};

}  // namespace

Mutant new_jobs_wait_a_minute() {
  return within_memory<NewJobsWaitAMinute>({
      .name = "new_jobs_wait_a_minute",
      .rules = {"ENQ-4", "CLAIM-7"},
      .summary = "a job can be claimed only a minute after its enqueue",
  });
}

}  // namespace assay::mutants
