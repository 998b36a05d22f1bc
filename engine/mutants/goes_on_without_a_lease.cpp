// goes_on_without_a_lease: a handler whose lease is lost is not told to stop.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo goes_on_without_a_lease() {
  return mutant("goes_on_without_a_lease", {"EXEC-2"},
                "a handler whose lease is lost is not told to stop", [] {
                  Alterations altered;
                  altered.act = [](const Errand& errand, const Acting& act) {
                    return without_stop(errand, act, "lease_lost");
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
