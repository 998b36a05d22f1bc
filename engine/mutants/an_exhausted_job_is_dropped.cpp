// an_exhausted_job_is_dropped: a job that used up its runs is acked.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo an_exhausted_job_is_dropped() {
  return mutant("an_exhausted_job_is_dropped", {"RETRY-3", "DLQ-1"},
                "a job that used up its runs is acked", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* fail = std::get_if<Fail>(&request);
                    if (!fail || fail->reason != "limit reached") return next(now, request);
                    return next(now, Ack{fail->hold});
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
