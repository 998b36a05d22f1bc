// version_not_raised: every delivery of a job has the same version.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class VersionNotRaised final : public Decisions {
 public:
  using Decisions::Decisions;

  std::int64_t version_after_claim(const Record&) const override { return 1; }
};

}  // namespace

Mutant version_not_raised() {
  return within_memory<VersionNotRaised>({
      .name = "version_not_raised",
      .rules = {"FENCE-6"},
      .summary = "every delivery of a job has the same version",
  });
}

}  // namespace assay::mutants
