// heartbeats_are_doubled: every heartbeat is sent twice.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo heartbeats_are_doubled() {
  return mutant("heartbeats_are_doubled", {"HB-1"}, "every heartbeat is sent twice", [] {
    Alterations altered;
    altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                             const Interception::Next& next) -> Result<Response> {
      auto answer = next(now, request);
      if (!std::holds_alternative<Extend>(request)) return answer;
      return next(now, request);
    };
    return altered;
  });
}

}  // namespace assay::engine::mutants
