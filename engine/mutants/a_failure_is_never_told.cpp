// a_failure_is_never_told: what becomes of a failed job is told to nobody.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_failure_is_never_told() {
  return mutant("a_failure_is_never_told", {"RETRY-3"},
                "what becomes of a failed job is told to nobody", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* retry = std::get_if<Retry>(&request);
                    if (retry && !retry->error.empty()) return Response(Done{});
                    return next(now, request);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
