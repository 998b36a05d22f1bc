// duplicate_id_accepted: a second job with the id of another is stored beside it.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DuplicateIdAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  bool id_is_taken(const Record&) const override { return false; }
};

}  // namespace

Mutant duplicate_id_accepted() {
  return within_memory<DuplicateIdAccepted>({
      .name = "duplicate_id_accepted",
      .rules = {"ENQ-3"},
      .summary = "a second job with the id of another is stored beside it",
  });
}

}  // namespace assay::mutants
