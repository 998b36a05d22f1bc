// Draws plans in which jobs are announced: dispatchers, workers that hear of jobs, rows and events;
// and from level chaos on whatever may go wrong with each.
#pragma once

#include <cstdint>

#include "harness/contract/rules.h"
#include "harness/plan/plan.h"

namespace assay {

Plan generate_dispatch(const Profile& profile, std::uint64_t seed, Level level);

}  // namespace assay
