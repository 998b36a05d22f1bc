// unknown_types_are_acked: a job that nobody has a handler for is acked.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo unknown_types_are_acked() {
  return mutant("unknown_types_are_acked", {"XWORK-1"},
                "a job that nobody has a handler for is acked", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* nack = std::get_if<Nack>(&request);
                    const auto* fail = std::get_if<Fail>(&request);
                    const std::string error = nack ? nack->error : fail ? fail->error : "";
                    if (!error.starts_with("no handler")) return next(now, request);
                    auto answer = next(now, Ack{nack ? nack->hold : fail->hold});
                    if (answer.ok() && nack) return Response(Nacked{});
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
