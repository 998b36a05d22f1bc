#include "harness/run/parts.h"

#include "drivers/mutants/all.h"
#include "engine/under_test.h"
#include "faults/all.h"
#include "harness/contract/check.h"
#include "harness/run/engine.h"
#include "properties/all.h"
#include "scenarios/all.h"

namespace assay {

Parts built_in_parts() {
  static const DriverInfo canary_driver = canary().driver();
  CHECK(!canary().rules.empty());
  return Parts{.properties = all_properties(),
               .scenarios = all_scenarios(),
               .faults = all_faults(),
               .canary = &canary_driver,
               .canary_rule = canary().rules.front(),
               .engine_scenarios = engine_scenarios(),
               .engines = engine::all_engines(),
               .engine_canary = &engine::engine_canary()};
}

}  // namespace assay
