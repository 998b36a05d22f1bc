// the_retry_scheduler_sleeps: nobody looks for retries whose time has come.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo the_retry_scheduler_sleeps() {
  return mutant("the_retry_scheduler_sleeps", {"REAP-3"},
                "nobody looks for retries whose time has come", [] {
                  Alterations altered;
                  altered.dispatcher = [](DispatcherOptions& options) {
                    options.loops.erase(LoopName::retry_scheduler);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
