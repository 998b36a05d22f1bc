// first_counter_ignored: a job starts with no failure whatever its producer says.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class FirstCounterIgnored final : public Decisions {
 public:
  using Decisions::Decisions;

  Job stored(const NewJob& given, Instant now) const override {
    Job job = Decisions::stored(given, now);
    job.attempts = 0;
    return job;
  }
};

}  // namespace

Mutant first_counter_ignored() {
  return within_memory<FirstCounterIgnored>({
      .name = "first_counter_ignored",
      .rules = {"ENQ-6"},
      .summary = "a job starts with no failure whatever its producer says",
  });
}

}  // namespace assay::mutants
