// payload_cut_at_a_mebibyte: a payload of more than a mebibyte is cut.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class PayloadCutAtAMebibyte final : public Decisions {
 public:
  using Decisions::Decisions;

  Job stored(const NewJob& given, Instant now) const override {
    Job job = Decisions::stored(given, now);
    if (job.payload.size() > (1u << 20)) job.payload.resize(1u << 20);
    return job;
  }
};

}  // namespace

Mutant payload_cut_at_a_mebibyte() {
  return within_memory<PayloadCutAtAMebibyte>({
      .name = "payload_cut_at_a_mebibyte",
      .rules = {"ENQ-6"},
      .summary = "a payload of more than a mebibyte is cut",
  });
}

}  // namespace assay::mutants
