// the_worker_decides: a worker whose store decides says itself when a job is tried again.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo the_worker_decides() {
  return mutant(
      "the_worker_decides", {"POLICY-2"},
      "a worker whose store decides says itself when a job is tried again", [] {
        Alterations altered;
        altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                 const Interception::Next& next) -> Result<Response> {
          const auto* nack = std::get_if<Nack>(&request);
          if (!nack) return next(now, request);
          return next(now, Retry{nack->hold, now + std::chrono::seconds(1), 1, nack->error});
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
