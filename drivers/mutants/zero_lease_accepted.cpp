// zero_lease_accepted: a claim with a lease of zero or less is accepted.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ZeroLeaseAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  Objection refuses_claim(const Reserve& request) const override {
    return request.lease <= Duration{0} ? std::nullopt : Decisions::refuses_claim(request);
  }
};

}  // namespace

Mutant zero_lease_accepted() {
  return within_memory<ZeroLeaseAccepted>({
      .name = "zero_lease_accepted",
      .rules = {"XVAL-2"},
      .summary = "a claim with a lease of zero or less is accepted",
  });
}

}  // namespace assay::mutants
