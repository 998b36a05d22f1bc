// reasons_are_not_counted: nobody is told why a job is not run.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo reasons_are_not_counted() {
  return mutant("reasons_are_not_counted", {"XFLOW-2"}, "nobody is told why a job is not run", [] {
    Alterations altered;
    altered.tells = [](const EngineEvent& event) {
      return event.kind != EngineEvent::Kind::held_back;
    };
    return altered;
  });
}

}  // namespace assay::engine::mutants
