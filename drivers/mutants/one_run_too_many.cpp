// one_run_too_many: a job runs once more than its limit allows.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class OneRunTooMany final : public Decisions {
 public:
  using Decisions::Decisions;

  std::int64_t runs_allowed(const Record& record) const override {
    return Decisions::runs_allowed(record) + 1;
  }
};

}  // namespace

Mutant one_run_too_many() {
  return within_memory<OneRunTooMany>({
      .name = "one_run_too_many",
      .rules = {"RETRY-6", "RETRY-5"},
      .summary = "a job runs once more than its limit allows",
      .profile = "weave",
  });
}

}  // namespace assay::mutants
