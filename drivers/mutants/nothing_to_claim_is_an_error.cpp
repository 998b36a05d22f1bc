// nothing_to_claim_is_an_error: a claim that finds nothing answers with an error.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class NothingToClaimIsAnError final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    auto claims = inner().reserve(now, request);
    if (claims.ok() && claims->claims.empty()) return conflict("nothing to do");
    return claims;
  }
};

}  // namespace

Mutant nothing_to_claim_is_an_error() {
  return around_memory<NothingToClaimIsAnError>({
      .name = "nothing_to_claim_is_an_error",
      .rules = {"ERR-5"},
      .summary = "a claim that finds nothing answers with an error",
  });
}

}  // namespace assay::mutants
