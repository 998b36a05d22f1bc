// waits_too_short: a failed job waits for a tenth of the default at most.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo waits_too_short() {
  return mutant("waits_too_short", {"BACK-3"},
                "a failed job waits for a tenth of the default at most", [] {
                  Alterations altered;
                  altered.options = [](WorkerOptions& options, const Profile& profile) {
                    if (!options.policy) options.policy = policy_of(profile);
                    options.policy->base /= 10;
                    options.policy->cap /= 10;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
