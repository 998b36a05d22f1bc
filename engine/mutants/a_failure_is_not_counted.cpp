// a_failure_is_not_counted: the first failure of a job leaves the counter as it was.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_failure_is_not_counted() {
  return mutant("a_failure_is_not_counted", {"RETRY-1", "RETRY-2"},
                "the first failure of a job leaves the counter as it was", [] {
                  Alterations altered;
                  altered.driver.call = [seen = std::make_shared<std::map<JobId, int>>()](
                                            const SessionSpec&, Instant now, const Request& request,
                                            const Interception::Next& next) -> Result<Response> {
                    const auto* retry = std::get_if<Retry>(&request);
                    const bool fails = retry && retry->attempts > 0 && !retry->error.empty();
                    if (!fails || (*seen)[retry->hold.job_id]++ > 0) return next(now, request);
                    Retry less = *retry;
                    --less.attempts;
                    return next(now, less);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
