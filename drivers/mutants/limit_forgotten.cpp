// limit_forgotten: the limit of a job is not stored.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class LimitForgotten final : public Decisions {
 public:
  using Decisions::Decisions;

  Job stored(const NewJob& given, Instant now) const override {
    Job job = Decisions::stored(given, now);
    job.max_attempts.reset();
    return job;
  }
};

}  // namespace

Mutant limit_forgotten() {
  return within_memory<LimitForgotten>({
      .name = "limit_forgotten",
      .rules = {"ENQ-6"},
      .summary = "the limit of a job is not stored",
  });
}

}  // namespace assay::mutants
