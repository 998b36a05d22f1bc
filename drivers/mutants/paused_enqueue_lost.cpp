// paused_enqueue_lost: what is enqueued to a paused queue is answered with success and not stored.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class PausedEnqueueLost final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status pause(Instant now, const Pause& request) override {
    auto paused = inner().pause(now, request);
    const std::lock_guard lock(notes().mutex);
    if (paused.ok()) notes().names.insert(request.queue);
    return paused;
  }
  Status resume(Instant now, const Resume& request) override {
    const std::lock_guard lock(notes().mutex);
    notes().names.erase(request.queue);
    return inner().resume(now, request);
  }
  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    const std::lock_guard lock(notes().mutex);
    if (!notes().names.contains(request.job.queue)) return inner().enqueue(now, request);
    return Enqueued{request.job.id.value_or("lost-" + std::to_string(++lost_)), false};
  }

 private:
  int lost_ = 0;
};

}  // namespace

Mutant paused_enqueue_lost() {
  return around_memory<PausedEnqueueLost>({
      .name = "paused_enqueue_lost",
      .rules = {"PAUSE-2"},
      .summary = "what is enqueued to a paused queue is answered with success and not stored",
  });
}

}  // namespace assay::mutants
