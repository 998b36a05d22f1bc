// shutdown_waits_for_nobody: a worker ends at once, whatever its handlers do.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo shutdown_waits_for_nobody() {
  return mutant("shutdown_waits_for_nobody", {"XWORK-1"},
                "a worker ends at once, whatever its handlers do", [] {
                  Alterations altered;
                  altered.options = [](WorkerOptions& options, const Profile&) {
                    options.grace = options.interruption = Duration{0};
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
