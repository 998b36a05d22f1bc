// holder_not_recorded: the lease does not say who holds it.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class HolderNotRecorded final : public Decisions {
 public:
  using Decisions::Decisions;

  std::string holder(const Reserve&) const override { return {}; }
};

}  // namespace

Mutant holder_not_recorded() {
  return within_memory<HolderNotRecorded>({
      .name = "holder_not_recorded",
      .rules = {"LEASE-11"},
      .summary = "the lease does not say who holds it",
  });
}

}  // namespace assay::mutants
