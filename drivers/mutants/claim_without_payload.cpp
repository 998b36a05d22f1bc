// claim_without_payload: a delivery comes without its payload.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ClaimWithoutPayload final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    auto claims = inner().reserve(now, request);
    if (!claims.ok()) return claims;
    for (Claim& claim : claims->claims) claim.job.payload.clear();
    return claims;
  }
};

}  // namespace

Mutant claim_without_payload() {
  return around_memory<ClaimWithoutPayload>({
      .name = "claim_without_payload",
      .rules = {"ENQ-6"},
      .summary = "a delivery comes without its payload",
  });
}

}  // namespace assay::mutants
