// out_of_time_is_success: a handler that ran out of time is taken to have succeeded.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo out_of_time_is_success() {
  return mutant("out_of_time_is_success", {"TIME-4"},
                "a handler that ran out of time is taken to have succeeded", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* retry = std::get_if<Retry>(&request);
                    const auto* nack = std::get_if<Nack>(&request);
                    const auto* fail = std::get_if<Fail>(&request);
                    const std::string error = retry  ? retry->error
                                              : nack ? nack->error
                                              : fail ? fail->error
                                                     : "";
                    if (!error.starts_with("timed out")) return next(now, request);
                    const Hold& hold = retry ? retry->hold : nack ? nack->hold : fail->hold;
                    auto answer = next(now, Ack{hold});
                    if (answer.ok() && nack) return Response(Nacked{});
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
