// run_time_rounded_to_seconds: run times are stored in whole seconds.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RunTimeRoundedToSeconds final : public Decisions {
 public:
  using Decisions::Decisions;

  Job stored(const NewJob& given, Instant now) const override {
    Job job = Decisions::stored(given, now);
    if (job.run_at) job.run_at = std::chrono::floor<std::chrono::seconds>(*job.run_at);
    return job;
  }
};

}  // namespace

Mutant run_time_rounded_to_seconds() {
  return within_memory<RunTimeRoundedToSeconds>({
      .name = "run_time_rounded_to_seconds",
      .rules = {"ENQ-6"},
      .summary = "run times are stored in whole seconds",
  });
}

}  // namespace assay::mutants
