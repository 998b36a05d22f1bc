// conforms: whether a plan asks nothing of a driver that the profile does not claim.
#pragma once

#include <string>

#include "harness/plan/plan.h"

namespace assay {

// What the first step that does not fit asks for; empty where all fit.
std::string misfit(const Plan& plan, const Profile& profile);

}  // namespace assay
