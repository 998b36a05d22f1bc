// enqueue_drops_some: every third enqueue is answered with success and not stored.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class EnqueueDropsSome final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    auto made = inner().enqueue(now, request);
    if (!made.ok() || made->existed || ++enqueues_ % 3 != 0) return made;
    return Enqueued{"lost-" + made->id, false};
  }

 private:
  int enqueues_ = 0;
};

}  // namespace

Mutant enqueue_drops_some() {
  return around_memory<EnqueueDropsSome>({
      .name = "enqueue_drops_some",
      .rules = {"ENQ-1", "DUR-2"},
      .summary = "every third enqueue is answered with success and not stored",
  });
}

}  // namespace assay::mutants
