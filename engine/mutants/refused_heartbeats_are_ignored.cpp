// refused_heartbeats_are_ignored: a heartbeat that is refused is taken as granted.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo refused_heartbeats_are_ignored() {
  return mutant("refused_heartbeats_are_ignored", {"XWORK-1"},
                "a heartbeat that is refused is taken as granted", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    auto answer = next(now, request);
                    const auto* extend = std::get_if<Extend>(&request);
                    if (answer.ok() || !extend || answer.error().code != ErrorCode::lease_lost)
                      return answer;
                    return Response(Extended{now + extend->lease});
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
