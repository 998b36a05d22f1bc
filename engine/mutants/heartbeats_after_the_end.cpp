// heartbeats_after_the_end: a heartbeat is sent for a job that was settled before.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo heartbeats_after_the_end() {
  return mutant("heartbeats_after_the_end", {"HB-3"},
                "a heartbeat is sent for a job that was settled before", [] {
                  Alterations altered;
                  altered.driver.call = [kept = std::make_shared<std::map<Instant, Extend>>()](
                                            const SessionSpec&, Instant now, const Request& request,
                                            const Interception::Next& next) -> Result<Response> {
                    if (!kept->empty() && kept->begin()->first < now)
                      static_cast<void>(next(now, kept->extract(kept->begin()).mapped()));
                    if (const auto* ack = std::get_if<Ack>(&request))
                      kept->insert_or_assign(now, Extend{ack->hold, std::chrono::seconds(30)});
                    return next(now, request);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
