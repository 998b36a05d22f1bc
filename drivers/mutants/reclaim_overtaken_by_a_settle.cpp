// reclaim_overtaken_by_a_settle: an expired lease is looked for and its job put back in two steps.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReclaimOvertakenByASettle final : public Decisions {
 public:
  using Decisions::Decisions;

  bool lets_others_in(Seam seam, const Record*) const override { return seam == Seam::reclaim; }
};

}  // namespace

Mutant reclaim_overtaken_by_a_settle() {
  return within_memory<ReclaimOvertakenByASettle>({
      .name = "reclaim_overtaken_by_a_settle",
      .rules = {"XLEASE-3"},
      .race = "an_expired_job_has_one_heir",
      .summary = "an expired lease is looked for and its job put back in two steps",
  });
}

}  // namespace assay::mutants
