// outputs_are_written_one_by_one: outputs are written before the ack, each by itself.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo outputs_are_written_one_by_one() {
  return mutant("outputs_are_written_one_by_one", {"EFFECT-2"},
                "outputs are written before the ack, each by itself", [] {
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
                    other.outputs.put = [&](const std::string& name, const std::string& value) {
                      if (*ends) return errand.outputs.put(name, value);
                      return loose->write(errand.job.id, errand.run, name, value);
                    };
                    return act(other);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
