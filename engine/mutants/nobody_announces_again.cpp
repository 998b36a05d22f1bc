// nobody_announces_again: a job whose wake-up was lost is not announced again.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo nobody_announces_again() {
  return mutant("nobody_announces_again", {"WAKE-3"},
                "a job whose wake-up was lost is not announced again", [] {
                  Alterations altered;
                  altered.dispatcher = [](DispatcherOptions& options) {
                    options.loops.erase(LoopName::re_announcer);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
