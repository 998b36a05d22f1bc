// some_claims_are_forgotten: every job whose id ends with an odd digit is claimed and not run.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo some_claims_are_forgotten() {
  return mutant("some_claims_are_forgotten", {"DELIV-1"},
                "every job whose id ends with an odd digit is claimed and not run", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    auto answer = next(now, request);
                    if (answer.ok())
                      if (auto* claims = std::get_if<Claims>(&*answer))
                        std::erase_if(claims->claims, [](const Claim& claim) {
                          return !claim.job.id.empty() && (claim.job.id.back() & 1) != 0;
                        });
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
