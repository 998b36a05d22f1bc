// limits_are_ignored: as many of a type run as there are slots, as often as they can.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo limits_are_ignored() {
  return mutant("limits_are_ignored", {"XFLOW-1"},
                "as many of a type run as there are slots, as often as they can", [] {
                  Alterations altered;
                  altered.options = [](WorkerOptions& options, const Profile&) {
                    for (auto& [type, spec] : options.handlers) {
                      spec.concurrency.reset();
                      spec.rate.reset();
                    }
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
