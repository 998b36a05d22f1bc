// a_limit_is_one_more: a job that brings a limit has one run more than that allows.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_limit_is_one_more() {
  return mutant("a_limit_is_one_more", {"RETRY-5", "RETRY-6"},
                "a job that brings a limit has one run more than that allows", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    auto answer = next(now, request);
                    if (answer.ok())
                      if (auto* claims = std::get_if<Claims>(&*answer))
                        for (Claim& claim : claims->claims)
                          if (claim.job.max_attempts) ++*claim.job.max_attempts;
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
