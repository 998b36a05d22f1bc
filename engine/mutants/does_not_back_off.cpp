// does_not_back_off: a store that is away is asked again at once.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo does_not_back_off() {
  return mutant("does_not_back_off", {"AVAIL-1"}, "a store that is away is asked again at once",
                [] {
                  Alterations altered;
                  altered.options = [](WorkerOptions& options, const Profile&) {
                    options.outage_min = options.outage_max = Duration{40};
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
