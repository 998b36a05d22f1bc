// generate_processes: a plan whose workers are processes, drawn from a seed: some jobs, some of
// what can befall such workers, and time for both.
#pragma once

#include <span>
#include <string_view>

#include "harness/plan/plan.h"

namespace assay {

// `faults`: those that it may have, one or more.
Plan generate_processes(const Profile& profile, std::uint64_t seed,
                        std::span<const std::string_view> faults);

}  // namespace assay
