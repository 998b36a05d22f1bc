// payload_cut_at_nul: a payload ends at its first NUL byte.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class PayloadCutAtNul final : public Decisions {
 public:
  using Decisions::Decisions;

  Job stored(const NewJob& given, Instant now) const override {
    Job job = Decisions::stored(given, now);
    job.payload = job.payload.substr(0, job.payload.find('\0'));
    return job;
  }
};

}  // namespace

Mutant payload_cut_at_nul() {
  return within_memory<PayloadCutAtNul>({
      .name = "payload_cut_at_nul",
      .rules = {"ENQ-6"},
      .summary = "a payload ends at its first NUL byte",
  });
}

}  // namespace assay::mutants
