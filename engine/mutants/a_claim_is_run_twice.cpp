// a_claim_is_run_twice: the handler of a job is called a second time under one claim.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_claim_is_run_twice() {
  return mutant("a_claim_is_run_twice", {"EXEC-1"},
                "the handler of a job is called a second time under one claim", [] {
                  Alterations altered;
                  altered.act = [](const Errand& errand, const Acting& act) {
                    static_cast<void>(act(errand));
                    return act(errand);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
