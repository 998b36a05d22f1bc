// acks_before_it_runs: a job is acked when it is claimed, before its handler runs.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo acks_before_it_runs() {
  return mutant(
      "acks_before_it_runs", {"EXEC-3"},
      "a job is acked when it is claimed, before its handler runs", [] {
        Alterations altered;
        altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                 const Interception::Next& next) -> Result<Response> {
          auto answer = next(now, request);
          if (answer.ok())
            if (const auto* claims = std::get_if<Claims>(&*answer))
              for (const Claim& claim : claims->claims)
                static_cast<void>(next(now, Ack{{claim.job.id, claim.token, claim.attempt}}));
          return answer;
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
