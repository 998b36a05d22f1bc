// generate_engine: a plan with workers, drawn from a seed, biased towards what triggers the rules
// of an engine.
#pragma once

#include <cstdint>

#include "harness/contract/rules.h"
#include "harness/plan/plan.h"

namespace assay {

// Same arguments: same plan. Who moves when is drawn from level `concurrency` on; what goes wrong,
// from level `chaos` on.
Plan generate_engine(const Profile& profile, std::uint64_t seed, Level level);

}  // namespace assay
