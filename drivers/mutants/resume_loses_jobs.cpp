// resume_loses_jobs: a resume cancels what waits in the queue.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ResumeLosesJobs final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status resume(Instant now, const Resume& request) override {
    const auto waiting = inner().list(now, {request.queue, JobState::ready, 1000, {}});
    if (waiting.ok())
      for (const Job& job : waiting.value().jobs)
        if (auto cancelled = inner().cancel(now, {job.id}); !cancelled.ok())
          return cancelled.error();
    return inner().resume(now, request);
  }
};

}  // namespace

Mutant resume_loses_jobs() {
  return around_memory<ResumeLosesJobs>({
      .name = "resume_loses_jobs",
      .rules = {"PAUSE-3"},
      .summary = "a resume cancels what waits in the queue",
  });
}

}  // namespace assay::mutants
