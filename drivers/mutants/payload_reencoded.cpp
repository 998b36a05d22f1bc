// payload_reencoded: bytes that are not ASCII are replaced by question marks.
#include <algorithm>

#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class PayloadReencoded final : public Decisions {
 public:
  using Decisions::Decisions;

  Job stored(const NewJob& given, Instant now) const override {
    Job job = Decisions::stored(given, now);
    std::ranges::replace_if(
        job.payload, [](unsigned char byte) { return byte > 127; }, '?');
    return job;
  }
};

}  // namespace

Mutant payload_reencoded() {
  return within_memory<PayloadReencoded>({
      .name = "payload_reencoded",
      .rules = {"ENQ-6"},
      .summary = "bytes that are not ASCII are replaced by question marks",
  });
}

}  // namespace assay::mutants
