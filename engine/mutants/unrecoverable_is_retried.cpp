// unrecoverable_is_retried: a job whose handler gave it up is tried again.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo unrecoverable_is_retried() {
  return mutant("unrecoverable_is_retried", {"RETRY-13", "DLQ-2"},
                "a job whose handler gave it up is tried again", [] {
                  Alterations altered;
                  altered.act = [](const Errand& errand, const Acting& act) {
                    ActResult result = act(errand);
                    result.unrecoverable = false;
                    return result;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
