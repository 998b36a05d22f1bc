// errors_are_kept_secret: nobody is told of a settle that the store did not take.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo errors_are_kept_secret() {
  return mutant("errors_are_kept_secret", {"ERR-4"},
                "nobody is told of a settle that the store did not take", [] {
                  Alterations altered;
                  altered.tells = [](const EngineEvent& event) {
                    return event.kind != EngineEvent::Kind::surfaced;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
