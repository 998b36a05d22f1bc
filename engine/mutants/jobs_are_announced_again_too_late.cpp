// jobs_are_announced_again_too_late: a job whose wake-up was lost is announced again long after the
// time for that.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo jobs_are_announced_again_too_late() {
  return mutant("jobs_are_announced_again_too_late", {"WAKE-3"},
                "a job whose wake-up was lost is announced again long after the time for that", [] {
                  Alterations altered;
                  altered.dispatcher = [](DispatcherOptions& options) {
                    options.stale_after *= 20;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
