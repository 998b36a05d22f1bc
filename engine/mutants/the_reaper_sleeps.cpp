// the_reaper_sleeps: nobody looks for leases that ran out.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo the_reaper_sleeps() {
  return mutant("the_reaper_sleeps", {"REAP-1", "WAKE-6"}, "nobody looks for leases that ran out",
                [] {
                  Alterations altered;
                  altered.dispatcher = [](DispatcherOptions& options) {
                    options.loops.erase(LoopName::lease_reaper);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
