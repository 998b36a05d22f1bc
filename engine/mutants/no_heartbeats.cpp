// no_heartbeats: no heartbeat is sent, and each is taken as granted.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo no_heartbeats() {
  return mutant("no_heartbeats", {"HB-6"}, "no heartbeat is sent, and each is taken as granted",
                [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* extend = std::get_if<Extend>(&request);
                    if (!extend) return next(now, request);
                    return Response(Extended{now + extend->lease});
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
