// a_failure_is_counted_twice: a failure raises the counter by two.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_failure_is_counted_twice() {
  return mutant("a_failure_is_counted_twice", {"RETRY-1", "RETRY-2"},
                "a failure raises the counter by two", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* retry = std::get_if<Retry>(&request);
                    if (!retry || retry->attempts == 0) return next(now, request);
                    Retry twice = *retry;
                    ++twice.attempts;
                    return next(now, twice);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
