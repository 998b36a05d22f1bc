// Questions about `needs`, the condition under which a rule or a scenario makes sense for a
// profile.
#pragma once

#include <string>
#include <string_view>

#include "harness/contract/rules.h"

namespace assay::detail {

bool meets(const Profile& profile, std::string_view needs);

// The terms that the profile does not meet, as written: "pause", "idem!=none & dlq_ops".
std::string unmet(std::string_view needs, const Profile& profile);

}  // namespace assay::detail
