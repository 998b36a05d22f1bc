// shutdown_tells_nobody: a handler is not told that its worker ends.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo shutdown_tells_nobody() {
  return mutant("shutdown_tells_nobody", {"TIME-3"}, "a handler is not told that its worker ends",
                [] {
                  Alterations altered;
                  altered.act = [](const Errand& errand, const Acting& act) {
                    return without_stop(errand, act, "shutdown");
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
