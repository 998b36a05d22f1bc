// What `explore` and `sweep` share: the plan that is named, and where clients take turns.
#pragma once

#include <string>
#include <vector>

#include "harness/run/explore.h"

namespace assay::cli {

// The scenarios that make sense under the profile: all, or those whose clients move at once.
std::vector<std::string> scenarios_under(const Profile& profile, bool only_races);

// A scenario, a token, or a plan's file. The error names what there is among `known`.
Result<Plan> plan_named(const std::string& what, const Profile& profile,
                        const std::vector<std::string>& known);

// "each round trip to the store", ...
std::string turns(Interleaving interleaving, const std::string& why_not_closer);

}  // namespace assay::cli
