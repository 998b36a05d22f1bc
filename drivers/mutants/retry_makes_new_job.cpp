// retry_makes_new_job: a retry ends the job and enqueues a copy of it.
#include <map>

#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class RetryMakesNewJob final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    auto claims = inner().reserve(now, request);
    if (!claims.ok()) return claims;
    for (const Claim& claim : claims->claims) held_[claim.job.id] = claim.job;
    return claims;
  }
  Status retry(Instant now, const Retry& request) override {
    const auto held = held_.find(request.hold.job_id);
    if (held == held_.end()) return inner().retry(now, request);
    const Job& job = held->second;
    auto ended = inner().ack(now, {request.hold});
    if (!ended.ok()) return ended;
    NewJob copy{
        {},          job.queue, job.type,     job.payload,     request.run_at, job.max_attempts,
        job.timeout, {},        job.priority, request.attempts};
    const auto made = inner().enqueue(now, {copy});
    return made.ok() ? ended : Status(made.error());
  }

 private:
  std::map<JobId, Job> held_;
};

}  // namespace

Mutant retry_makes_new_job() {
  return around_memory<RetryMakesNewJob>({
      .name = "retry_makes_new_job",
      .rules = {"RETRY-8", "RETRY-7"},
      .summary = "a retry ends the job and enqueues a copy of it",
  });
}

}  // namespace assay::mutants
