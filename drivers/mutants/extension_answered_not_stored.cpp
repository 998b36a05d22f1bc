// extension_answered_not_stored: an extension answers with the new expiry and does not store it.
#include <algorithm>

#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ExtensionAnsweredNotStored final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Extended> extend(Instant now, const Extend& request) override {
    Extend shorter = request;
    if (shorter.lease > Duration{0}) shorter.lease = Duration{1};
    auto extended = inner().extend(now, shorter);
    if (!extended.ok()) return extended;
    return Extended{std::max(extended->expires_at, now + request.lease)};
  }
};

}  // namespace

Mutant extension_answered_not_stored() {
  return around_memory<ExtensionAnsweredNotStored>({
      .name = "extension_answered_not_stored",
      .rules = {"HB-4"},
      .summary = "an extension answers with the new expiry and does not store it",
  });
}

}  // namespace assay::mutants
