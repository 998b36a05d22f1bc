// claims_at_once_share_a_job: a claim looks for a job and takes it in two steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ClaimsAtOnceShareAJob final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::claim; }
};

}  // namespace

Mutant claims_at_once_share_a_job() {
  return within_memory<ClaimsAtOnceShareAJob>({
      .name = "claims_at_once_share_a_job",
      .rules = {"CLAIM-1"},
      .race = "one_job_has_one_claimer",
      .summary = "a claim looks for a job and takes it in two steps",
  });
}

}  // namespace assay::mutants
