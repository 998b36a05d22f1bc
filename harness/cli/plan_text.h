// A plan from the text of a file: the plan itself, or a .plan.json file with one in it.
#pragma once

#include <string>

#include "harness/plan/plan.h"

namespace assay::cli {

Result<Plan> plan_from_text(const std::string& text);

}  // namespace assay::cli
