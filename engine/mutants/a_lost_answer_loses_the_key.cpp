// a_lost_answer_loses_the_key: what is handed in again has another id and no key.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_lost_answer_loses_the_key() {
  return mutant("a_lost_answer_loses_the_key", {"IDEMP-9"},
                "what is handed in again has another id and no key", [] {
                  Alterations altered;
                  altered.driver.call = [lost = std::make_shared<int>(0)](
                                            const SessionSpec&, Instant now, const Request& request,
                                            const Interception::Next& next) -> Result<Response> {
                    const auto* enqueue = std::get_if<Enqueue>(&request);
                    if (!enqueue) return next(now, request);
                    Enqueue again = *enqueue;
                    if (*lost > 0) {
                      *again.job.id += std::to_string(*lost);
                      again.job.key.reset();
                    }
                    auto answer = next(now, again);
                    *lost = answer.ok() ? 0 : *lost + 1;
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
