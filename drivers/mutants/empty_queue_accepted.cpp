// empty_queue_accepted: a job without a queue is accepted.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class EmptyQueueAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  Objection refuses(const Enqueue& request, Instant now) const override {
    if (request.job.queue.empty()) return std::nullopt;
    return Decisions::refuses(request, now);
  }
};

}  // namespace

Mutant empty_queue_accepted() {
  return within_memory<EmptyQueueAccepted>({
      .name = "empty_queue_accepted",
      .rules = {"XVAL-1"},
      .summary = "a job without a queue is accepted",
  });
}

}  // namespace assay::mutants
