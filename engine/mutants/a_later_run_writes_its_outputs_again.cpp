// a_later_run_writes_its_outputs_again: what an earlier run committed is replaced.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_later_run_writes_its_outputs_again() {
  return mutant("a_later_run_writes_its_outputs_again", {"EFFECT-1"},
                "what an earlier run committed is replaced", [] {
                  Alterations altered;
                  auto loose = std::make_shared<LooseOutputs>();
                  altered.given = [loose](const EngineTerms& terms) { loose->take(terms); };
                  altered.act = [loose](const Errand& errand, const Acting& act) {
                    Errand other = errand;
                    other.outputs.commit = [&](const std::string& name,
                                               const std::string& value) -> Result<std::string> {
                      const auto kept = errand.outputs.commit(name, value);
                      if (!kept.ok() || *kept == value) return kept;
                      const Status written = loose->write(errand.job.id, errand.run, name, value);
                      if (!written.ok()) return written.error();
                      return value;
                    };
                    return act(other);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
