// Plans as JSON text. Only what differs from a field's default is written.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/plan.h"

namespace assay {

std::string to_json(const Plan& plan);
Result<Plan> plan_from_json(std::string_view text);

}  // namespace assay
