// zero_extension_accepted: an extension by zero or less is accepted.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ZeroExtensionAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  Objection refuses_extension(const Extend& request) const override {
    return request.lease <= Duration{0} ? std::nullopt : Decisions::refuses_extension(request);
  }
};

}  // namespace

Mutant zero_extension_accepted() {
  return within_memory<ZeroExtensionAccepted>({
      .name = "zero_extension_accepted",
      .rules = {"XVAL-2"},
      .summary = "an extension by zero or less is accepted",
  });
}

}  // namespace assay::mutants
