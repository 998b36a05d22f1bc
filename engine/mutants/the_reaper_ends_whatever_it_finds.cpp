// the_reaper_ends_whatever_it_finds: a job whose lease ran out is ended, whatever runs it has left.
#include "engine/mutants/all.h"
#include "engine/mutants/put_down.h"

namespace assay::engine::mutants {

EngineInfo the_reaper_ends_whatever_it_finds() {
  return mutant("the_reaper_ends_whatever_it_finds", {"REAP-2"},
                "a job whose lease ran out is ended, whatever runs it has left", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec& spec, Instant now,
                                           const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    auto answer = next(now, request);
                    if (!answer.ok() || !spec.name.ends_with("/lease_reaper")) return answer;
                    const auto* view = std::get_if<JobView>(&*answer);
                    if (view && view->lease && view->lease->expires_at <= now)
                      put_down(view->job, false, now, next);
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
