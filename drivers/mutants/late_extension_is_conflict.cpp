// late_extension_is_conflict: an extension after the expiry is refused as a conflict.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class LateExtensionIsConflict final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Extended> extend(Instant now, const Extend& request) override {
    auto extended = inner().extend(now, request);
    if (!extended.ok() && extended.error().reason == LeaseReason::expired)
      return conflict(extended.error().message);
    return extended;
  }
};

}  // namespace

Mutant late_extension_is_conflict() {
  return around_memory<LateExtensionIsConflict>({
      .name = "late_extension_is_conflict",
      .rules = {"ERR-2"},
      .summary = "an extension after the expiry is refused as a conflict",
  });
}

}  // namespace assay::mutants
