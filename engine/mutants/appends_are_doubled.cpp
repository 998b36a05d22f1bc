// appends_are_doubled: what is appended is called by its run, and written at once.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo appends_are_doubled() {
  return mutant("appends_are_doubled", {"EFFECT-1"},
                "what is appended is called by its run, and written at once", [] {
                  Alterations altered;
                  altered.act = [](const Errand& errand, const Acting& act) {
                    Errand other = errand;
                    other.outputs.append = [&](const std::string& name, const std::string& unique,
                                               const std::string& value) -> Status {
                      const std::string own = unique + "-" + std::to_string(errand.run);
                      const auto kept = errand.outputs.commit(name + "/" + own, value);
                      return kept.ok() ? Status(Done{}) : Status(kept.error());
                    };
                    return act(other);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
