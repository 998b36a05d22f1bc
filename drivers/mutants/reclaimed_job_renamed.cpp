// reclaimed_job_renamed: a job that is delivered again has another id.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ReclaimedJobRenamed final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    auto claims = inner().reserve(now, request);
    if (!claims.ok()) return claims;
    for (Claim& claim : claims->claims)
      if (claim.version > 1) claim.job.id += "-again";
    return claims;
  }
};

}  // namespace

Mutant reclaimed_job_renamed() {
  return around_memory<ReclaimedJobRenamed>({
      .name = "reclaimed_job_renamed",
      .rules = {"LEASE-8"},
      .summary = "a job that is delivered again has another id",
  });
}

}  // namespace assay::mutants
