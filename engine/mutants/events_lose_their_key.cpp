// events_lose_their_key: an event is handed in without the key that it was sent with.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo events_lose_their_key() {
  return mutant("events_lose_their_key", {"IDEMP-9"},
                "an event is handed in without the key that it was sent with", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* enqueue = std::get_if<Enqueue>(&request);
                    if (!enqueue || enqueue->job.type != "event") return next(now, request);
                    Enqueue without = *enqueue;
                    without.job.key.reset();
                    return next(now, without);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
