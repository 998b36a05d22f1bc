// one_run_too_few: a job is dead one failure before its limit.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class OneRunTooFew final : public Decisions {
 public:
  using Decisions::Decisions;

  std::int64_t runs_allowed(const Record& record) const override {
    return Decisions::runs_allowed(record) - 1;
  }
};

}  // namespace

Mutant one_run_too_few() {
  return within_memory<OneRunTooFew>({
      .name = "one_run_too_few",
      .rules = {"RETRY-6", "RETRY-4"},
      .summary = "a job is dead one failure before its limit",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
