// outputs_are_not_fenced: an output is written though its run has lost the lease.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo outputs_are_not_fenced() {
  return mutant("outputs_are_not_fenced", {"FENCE-9"},
                "an output is written though its run has lost the lease", [] {
                  Alterations altered;
                  auto loose = std::make_shared<LooseOutputs>();
                  altered.given = [loose](const EngineTerms& terms) { loose->take(terms); };
                  // Whoever is left behind by a worker that ends has nothing to write with.
                  auto ends = std::make_shared<bool>(false);
                  altered.shutdown = [ends](Worker& worker) {
                    *ends = true;
                    static_cast<void>(worker.shutdown());
                  };
                  altered.act = [loose, ends](const Errand& errand, const Acting& act) {
                    Errand other = errand;
                    other.outputs.commit = [&](const std::string& name,
                                               const std::string& value) -> Result<std::string> {
                      auto kept = errand.outputs.commit(name, value);
                      if (kept.ok() || *ends) return kept;
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
