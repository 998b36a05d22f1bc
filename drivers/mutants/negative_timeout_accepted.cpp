// negative_timeout_accepted: a negative timeout is accepted.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class NegativeTimeoutAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  Objection refuses(const Enqueue& request, Instant now) const override {
    if (request.job.timeout.value_or(Duration{0}) < Duration{0}) return std::nullopt;
    return Decisions::refuses(request, now);
  }
};

}  // namespace

Mutant negative_timeout_accepted() {
  return within_memory<NegativeTimeoutAccepted>({
      .name = "negative_timeout_accepted",
      .rules = {"XVAL-1"},
      .summary = "a negative timeout is accepted",
  });
}

}  // namespace assay::mutants
