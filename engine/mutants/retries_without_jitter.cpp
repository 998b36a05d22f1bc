// retries_without_jitter: a failed job waits for its whole window, each time.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo retries_without_jitter() {
  return mutant("retries_without_jitter", {"BACK-1", "BACK-5"},
                "a failed job waits for its whole window, each time", [] {
                  Alterations altered;
                  altered.options = [](WorkerOptions& options, const Profile& profile) {
                    if (!options.policy) options.policy = policy_of(profile);
                    options.policy->backoff = Backoff::exponential;
                    options.policy->jitter_percent = 0;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
