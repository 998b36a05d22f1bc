// groups_run_one_after_the_other: each member of a group waits for the one before it.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

static Flow one_by_one(Flow flow) {
  for (Flow& part : flow.parts) part = one_by_one(std::move(part));
  if (flow.kind == FlowKind::group) flow.kind = FlowKind::chain;
  return flow;
}

EngineInfo groups_run_one_after_the_other() {
  return mutant("groups_run_one_after_the_other", {"FLOW-2"},
                "each member of a group waits for the one before it", [] {
                  Alterations altered;
                  altered.flow = one_by_one;
                  return altered;
                });
}

}  // namespace assay::engine::mutants
