// timeout_forgotten: the timeout of a job is not stored.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class TimeoutForgotten final : public Decisions {
 public:
  using Decisions::Decisions;

  Job stored(const NewJob& given, Instant now) const override {
    Job job = Decisions::stored(given, now);
    job.timeout.reset();
    return job;
  }
};

}  // namespace

Mutant timeout_forgotten() {
  return within_memory<TimeoutForgotten>({
      .name = "timeout_forgotten",
      .rules = {"ENQ-6"},
      .summary = "the timeout of a job is not stored",
  });
}

}  // namespace assay::mutants
