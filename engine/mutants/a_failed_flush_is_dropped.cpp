// a_failed_flush_is_dropped: an ack without an answer is not sent again.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_failed_flush_is_dropped() {
  return mutant("a_failed_flush_is_dropped", {"XBATCH-1"},
                "an ack without an answer is not sent again", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    auto answer = next(now, request);
                    if (answer.ok() || !std::holds_alternative<Ack>(request)) return answer;
                    return Response(Done{});
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
