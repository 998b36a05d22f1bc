// existed_without_key: a new job without a key is said to have existed.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ExistedWithoutKey final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    auto made = inner().enqueue(now, request);
    if (made.ok() && !request.job.key && !request.job.id) made->existed = true;
    return made;
  }
};

}  // namespace

Mutant existed_without_key() {
  return around_memory<ExistedWithoutKey>({
      .name = "existed_without_key",
      .rules = {"XIDEMP-1"},
      .summary = "a new job without a key is said to have existed",
  });
}

}  // namespace assay::mutants
