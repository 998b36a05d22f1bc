// empty_type_accepted: a job without a type is accepted.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class EmptyTypeAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  Objection refuses(const Enqueue& request, Instant now) const override {
    if (request.job.type.empty()) return std::nullopt;
    return Decisions::refuses(request, now);
  }
};

}  // namespace

Mutant empty_type_accepted() {
  return within_memory<EmptyTypeAccepted>({
      .name = "empty_type_accepted",
      .rules = {"XVAL-1"},
      .summary = "a job without a type is accepted",
  });
}

}  // namespace assay::mutants
