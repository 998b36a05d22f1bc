// heirs_at_once_share_a_job: an expired job is looked for and taken over in two steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class HeirsAtOnceShareAJob final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record* record) const override {
    // Somebody had it before.
    return seam == Seam::claim && record->version > 0;
  }
};

}  // namespace

Mutant heirs_at_once_share_a_job() {
  return within_memory<HeirsAtOnceShareAJob>({
      .name = "heirs_at_once_share_a_job",
      .rules = {"XLEASE-3"},
      .race = "an_expired_job_has_one_heir",
      .summary = "an expired job is looked for and taken over in two steps",
  });
}

}  // namespace assay::mutants
