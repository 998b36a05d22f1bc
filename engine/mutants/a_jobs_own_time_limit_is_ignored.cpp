// a_jobs_own_time_limit_is_ignored: a job runs for as long as others of its type may, whatever it
// says itself.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_jobs_own_time_limit_is_ignored() {
  return mutant("a_jobs_own_time_limit_is_ignored", {"TIME-1"},
                "a job runs for as long as others of its type may, whatever it says itself", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    auto answer = next(now, request);
                    if (answer.ok())
                      if (auto* claims = std::get_if<Claims>(&*answer))
                        for (Claim& claim : claims->claims) claim.job.timeout.reset();
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
