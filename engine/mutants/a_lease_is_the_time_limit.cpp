// a_lease_is_the_time_limit: a handler is told to stop when its first lease would be over.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_lease_is_the_time_limit() {
  return mutant("a_lease_is_the_time_limit", {"TIME-5"},
                "a handler is told to stop when its first lease would be over", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    auto answer = next(now, request);
                    if (answer.ok())
                      if (auto* claims = std::get_if<Claims>(&*answer))
                        for (Claim& claim : claims->claims)
                          claim.job.timeout = std::get<Reserve>(request).lease;
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
