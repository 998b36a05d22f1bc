// the_greater_limit_counts: the limit of the policy does not bound that of the job.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo the_greater_limit_counts() {
  return mutant("the_greater_limit_counts", {"XWORK-2"},
                "the limit of the policy does not bound that of the job", [] {
                  Alterations altered;
                  altered.options = [](WorkerOptions& options, const Profile&) {
                    if (options.policy) options.policy->most_runs.reset();
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
