// retries_in_the_past: a failed job may run again from a second before its failure on.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo retries_in_the_past() {
  return mutant("retries_in_the_past", {"BACK-4"},
                "a failed job may run again from a second before its failure on", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* retry = std::get_if<Retry>(&request);
                    if (!retry || retry->error.empty()) return next(now, request);
                    Retry earlier = *retry;
                    earlier.run_at = now - std::chrono::seconds(1);
                    return next(now, earlier);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
