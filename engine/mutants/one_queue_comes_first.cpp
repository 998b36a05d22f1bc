// one_queue_comes_first: the queue whose name comes first is always asked first.
#include <algorithm>

#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo one_queue_comes_first() {
  return mutant("one_queue_comes_first", {"XFAIR-2"},
                "the queue whose name comes first is always asked first", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    const auto* reserve = std::get_if<Reserve>(&request);
                    if (!reserve || reserve->queues.size() < 2) return next(now, request);
                    std::vector<std::string> queues = reserve->queues;
                    std::ranges::sort(queues);
                    for (const std::string& queue : queues) {
                      Reserve one = *reserve;
                      one.queues = {queue};
                      auto answer = next(now, one);
                      if (!answer.ok() || !std::get<Claims>(*answer).claims.empty()) return answer;
                    }
                    return Response(Claims{});
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
