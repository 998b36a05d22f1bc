// refused_claim_is_an_error: a claim by id on a held job answers with an error.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class RefusedClaimIsAnError final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    auto claims = inner().reserve(now, request);
    if (!claims.ok() || !claims->claims.empty() || !request.job_id) return claims;
    const auto view = inner().get(now, {*request.job_id});
    if (view.ok()) return invalid(*request.job_id + " cannot be claimed");
    return claims;
  }
};

}  // namespace

Mutant refused_claim_is_an_error() {
  return around_memory<RefusedClaimIsAnError>({
      .name = "refused_claim_is_an_error",
      .rules = {"ERR-5"},
      .summary = "a claim by id on a held job answers with an error",
      .profile = "trace",
  });
}

}  // namespace assay::mutants
