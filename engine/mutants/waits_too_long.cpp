// waits_too_long: a failed job may wait for four times as long as by default.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo waits_too_long() {
  return mutant("waits_too_long", {"BACK-2", "BACK-3"},
                "a failed job may wait for four times as long as by default", [] {
                  Alterations altered;
                  altered.options = [](WorkerOptions& options, const Profile& profile) {
                    if (!options.policy) options.policy = policy_of(profile);
                    options.policy->base *= 4;
                    options.policy->cap *= 4;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
