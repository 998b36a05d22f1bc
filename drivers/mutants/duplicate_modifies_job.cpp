// duplicate_modifies_job: a second enqueue with a known key replaces the payload.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class DuplicateModifiesJob final : public Decisions {
 public:
  using Decisions::Decisions;

  void on_duplicate(Record& stored, const NewJob& again) const override {
    stored.job.payload = again.payload;
  }
};

}  // namespace

Mutant duplicate_modifies_job() {
  return within_memory<DuplicateModifiesJob>({
      .name = "duplicate_modifies_job",
      .rules = {"XIDEMP-1"},
      .summary = "a second enqueue with a known key replaces the payload",
  });
}

}  // namespace assay::mutants
