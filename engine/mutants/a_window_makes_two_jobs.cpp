// a_window_makes_two_jobs: each window of a schedule makes a second job.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_window_makes_two_jobs() {
  return mutant(
      "a_window_makes_two_jobs", {"XCRON-1"}, "each window of a schedule makes a second job", [] {
        Alterations altered;
        altered.driver.commit = [](const SessionSpec&, Instant now, const Commit& commit,
                                   const Interception::NextCommit& next) -> Result<Committed> {
          auto answer = next(now, commit);
          if (!answer.ok() || commit.enqueues.empty()) return answer;
          Commit again;
          again.enqueues = {commit.enqueues.front()};
          *again.enqueues.front().job.id += "/again";
          static_cast<void>(next(now, again));
          return answer;
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
