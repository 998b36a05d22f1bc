// the_first_failure_is_the_last: a failure is told to the store as one that is not to be tried
// again.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo the_first_failure_is_the_last() {
  return mutant("the_first_failure_is_the_last", {"RETRY-4", "RETRY-6", "RETRY-12"},
                "a failure is told to the store as one that is not to be tried again", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    if (const auto* retry = std::get_if<Retry>(&request))
                      return next(now, Fail{retry->hold, retry->attempts, "", retry->error});
                    const auto* nack = std::get_if<Nack>(&request);
                    if (!nack) return next(now, request);
                    Nack last = *nack;
                    last.unrecoverable = true;
                    return next(now, last);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
