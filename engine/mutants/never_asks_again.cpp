// never_asks_again: a worker whose claim went without an answer claims no more.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo never_asks_again() {
  return mutant("never_asks_again", {"AVAIL-1"},
                "a worker whose claim went without an answer claims no more", [] {
                  Alterations altered;
                  altered.driver.call = [is_over = std::make_shared<bool>(false)](
                                            const SessionSpec&, Instant now, const Request& request,
                                            const Interception::Next& next) -> Result<Response> {
                    if (!std::holds_alternative<Reserve>(request)) return next(now, request);
                    if (*is_over) return Response(Claims{});
                    auto answer = next(now, request);
                    *is_over = !answer.ok() && answer.error().code == ErrorCode::unavailable;
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
