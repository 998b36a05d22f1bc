// every_other_heartbeat_is_left_out: every second heartbeat is not sent.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo every_other_heartbeat_is_left_out() {
  return mutant("every_other_heartbeat_is_left_out", {"HB-1"}, "every second heartbeat is not sent",
                [] {
                  Alterations altered;
                  altered.driver.call = [beats = std::make_shared<int>(0)](
                                            const SessionSpec&, Instant now, const Request& request,
                                            const Interception::Next& next) -> Result<Response> {
                    const auto* extend = std::get_if<Extend>(&request);
                    if (!extend || ++*beats % 2 == 0) return next(now, request);
                    return Response(Extended{now + extend->lease});
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
