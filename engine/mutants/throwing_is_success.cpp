// throwing_is_success: a handler that throws is taken to have succeeded.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo throwing_is_success() {
  return mutant("throwing_is_success", {"XWORK-1"},
                "a handler that throws is taken to have succeeded", [] {
                  Alterations altered;
                  altered.act = [](const Errand& errand, const Acting& act) {
                    try {
                      return act(errand);
                    } catch (...) {
                      return ActResult{};
                    }
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
