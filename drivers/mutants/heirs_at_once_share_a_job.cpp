// heirs_at_once_share_a_job: an expired job is looked for and taken over in two steps.
#include "drivers/mutants/racing.h"

namespace assay::mutants {

namespace {

class HeirsAtOnceShareAJob final : public Coalesced {
 public:
  using Coalesced::Coalesced;

 protected:
  // Somebody had it before.
  bool shares(const Claim& claim) override { return notes().names.contains(claim.job.id); }
};

}  // namespace

Mutant heirs_at_once_share_a_job() {
  return around_memory<HeirsAtOnceShareAJob>({
      .name = "heirs_at_once_share_a_job",
      .rules = {"XLEASE-3"},
      .racy = true,
      .summary = "an expired job is looked for and taken over in two steps",
  });
}

}  // namespace assay::mutants
