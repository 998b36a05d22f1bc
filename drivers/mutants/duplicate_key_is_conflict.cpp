// duplicate_key_is_conflict: an active key is refused as a conflict.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class DuplicateKeyIsConflict final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    auto made = inner().enqueue(now, request);
    if (!made.ok() && made.error().code == ErrorCode::duplicate_key)
      return conflict(made.error().message);
    return made;
  }
};

}  // namespace

Mutant duplicate_key_is_conflict() {
  return around_memory<DuplicateKeyIsConflict>({
      .name = "duplicate_key_is_conflict",
      .rules = {"ERR-3"},
      .summary = "an active key is refused as a conflict",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
