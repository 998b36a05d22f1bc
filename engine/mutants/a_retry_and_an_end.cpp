// a_retry_and_an_end: a failed job is put off and then ended, too.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_retry_and_an_end() {
  return mutant(
      "a_retry_and_an_end", {"RETRY-3"}, "a failed job is put off and then ended, too", [] {
        Alterations altered;
        altered.driver.call = [](const SessionSpec&, Instant now, const Request& request,
                                 const Interception::Next& next) -> Result<Response> {
          auto answer = next(now, request);
          const auto* retry = std::get_if<Retry>(&request);
          if (retry && !retry->error.empty())
            static_cast<void>(next(now, Fail{retry->hold, retry->attempts, "", retry->error}));
          return answer;
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
