// claims_at_once_share_a_job: a claim looks for a job and takes it in two steps.
#include "drivers/mutants/racing.h"

namespace assay::mutants {

namespace {

class ClaimsAtOnceShareAJob final : public Coalesced {
 public:
  using Coalesced::Coalesced;

 protected:
  bool shares(const Claim&) override { return true; }
};

}  // namespace

Mutant claims_at_once_share_a_job() {
  return around_memory<ClaimsAtOnceShareAJob>({
      .name = "claims_at_once_share_a_job",
      .rules = {"CLAIM-1"},
      .racy = true,
      .summary = "a claim looks for a job and takes it in two steps",
  });
}

}  // namespace assay::mutants
