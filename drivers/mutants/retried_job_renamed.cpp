// retried_job_renamed: a job that comes back from a failure has another id.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class RetriedJobRenamed final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    auto claims = inner().reserve(now, request);
    if (!claims.ok()) return claims;
    for (Claim& claim : claims->claims)
      if (claim.job.last_error) claim.job.id += "-again";
    return claims;
  }
};

}  // namespace

Mutant retried_job_renamed() {
  return around_memory<RetriedJobRenamed>({
      .name = "retried_job_renamed",
      .rules = {"RETRY-8"},
      .summary = "a job that comes back from a failure has another id",
  });
}

}  // namespace assay::mutants
