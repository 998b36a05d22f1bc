// the_last_batch_is_dropped: acks that wait when a worker is asked to end are not sent.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo the_last_batch_is_dropped() {
  return mutant("the_last_batch_is_dropped", {"XBATCH-1"},
                "acks that wait when a worker is asked to end are not sent", [] {
                  Alterations altered;
                  auto ends = std::make_shared<bool>(false);
                  altered.shutdown = [ends](Worker& worker) {
                    *ends = true;
                    static_cast<void>(worker.shutdown());
                  };
                  altered.driver.call = [ends](const SessionSpec&, Instant now,
                                               const Request& request,
                                               const Interception::Next& next) -> Result<Response> {
                    if (*ends && std::holds_alternative<Ack>(request)) return Response(Done{});
                    return next(now, request);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
