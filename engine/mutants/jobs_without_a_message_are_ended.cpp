// jobs_without_a_message_are_ended: a job that was announced long ago and is still queued is ended.
#include "engine/mutants/all.h"
#include "engine/mutants/put_down.h"

namespace assay::engine::mutants {

EngineInfo jobs_without_a_message_are_ended() {
  return mutant("jobs_without_a_message_are_ended", {"STATE-5"},
                "a job that was announced long ago and is still queued is ended", [] {
                  Alterations altered;
                  altered.driver.call = [](const SessionSpec& spec, Instant now,
                                           const Request& request,
                                           const Interception::Next& next) -> Result<Response> {
                    auto answer = next(now, request);
                    if (!answer.ok() || !spec.name.ends_with("/re_announcer")) return answer;
                    if (auto* page = std::get_if<JobPage>(&*answer))
                      std::erase_if(page->jobs, [&](const Job& job) {
                        const auto since = job.created_at.value_or(now);
                        if (now < since + std::chrono::minutes(1)) return false;
                        put_down(job, true, now, next);
                        return true;
                      });
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
