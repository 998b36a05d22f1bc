// what_was_there_before_is_ignored: a worker puts jobs back that are older than itself.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo what_was_there_before_is_ignored() {
  return mutant("what_was_there_before_is_ignored", {"DUR-3"},
                "a worker puts jobs back that are older than itself", [] {
                  Alterations altered;
                  altered.driver.call = [since = std::make_shared<std::optional<Instant>>()](
                                            const SessionSpec&, Instant now, const Request& request,
                                            const Interception::Next& next) -> Result<Response> {
                    if (!*since) *since = now;
                    auto answer = next(now, request);
                    if (answer.ok())
                      if (auto* claims = std::get_if<Claims>(&*answer))
                        std::erase_if(claims->claims, [&](const Claim& claim) {
                          const Job& job = claim.job;
                          if (!job.created_at || *job.created_at >= **since) return false;
                          const Hold hold{job.id, claim.token, claim.attempt};
                          static_cast<void>(next(
                              now, Retry{hold, now + std::chrono::minutes(1), job.attempts, ""}));
                          return true;
                        });
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
