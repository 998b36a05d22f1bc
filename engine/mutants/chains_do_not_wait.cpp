// chains_do_not_wait: the steps of a chain are enqueued at once, in their order.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

static Flow all_at_once(Flow flow) {
  if (flow.kind == FlowKind::chain) flow.kind = FlowKind::group;
  for (Flow& part : flow.parts) part = all_at_once(std::move(part));
  return flow;
}

EngineInfo chains_do_not_wait() {
  return mutant("chains_do_not_wait", {"FLOW-1", "ORDER-7"},
                "the steps of a chain are enqueued at once, in their order", [] {
                  Alterations altered;
                  altered.flow = all_at_once;
                  return altered;
                });
}

}  // namespace assay::engine::mutants
