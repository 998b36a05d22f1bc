// a_failure_is_not_counted: a failed job is put back with the counter as it was.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_failure_is_not_counted() {
  return mutant("a_failure_is_not_counted", {"RETRY-1", "RETRY-2"},
                "a failed job is put back with the counter as it was", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* retry = std::get_if<Retry>(&request);
                    if (!retry || retry->attempts == 0) return next(now, request);
                    Retry less = *retry;
                    --less.attempts;
                    return next(now, less);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
