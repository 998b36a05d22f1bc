// time_limit_tells_nobody: a handler whose time is up is not told to stop.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo time_limit_tells_nobody() {
  return mutant("time_limit_tells_nobody", {"TIME-2", "TIME-6"},
                "a handler whose time is up is not told to stop", [] {
                  Alterations altered;
                  altered.act = [](const Errand& errand, const Acting& act) {
                    return without_stop(errand, act, "timed_out");
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
