// nobody_sweeps: what the store did alone is never found.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo nobody_sweeps() {
  return mutant("nobody_sweeps", {"FLOW-4"}, "what the store did alone is never found", [] {
    Alterations altered;
    altered.options = [](WorkerOptions& options, const Profile&) { options.sweep_every.reset(); };
    return altered;
  });
}

}  // namespace assay::engine::mutants
