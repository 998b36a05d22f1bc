// a_schedule_ends_with_its_first_job: behind the first one no window makes a job.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_schedule_ends_with_its_first_job() {
  return mutant(
      "a_schedule_ends_with_its_first_job", {"XCRON-1"},
      "behind the first one no window makes a job", [] {
        Alterations altered;
        altered.driver.commit = [made = std::make_shared<bool>(false)](
                                    const SessionSpec&, Instant now, const Commit& commit,
                                    const Interception::NextCommit& next) -> Result<Committed> {
          Commit less = commit;
          if (*made) less.enqueues.clear();
          auto answer = next(now, less);
          if (answer.ok() && !commit.enqueues.empty()) *made = true;
          return answer;
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
