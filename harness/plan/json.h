// Plans as JSON text, one step a line, for people to read and edit. Only what differs from a
// field's default is written.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/plan.h"

namespace assay {

std::string to_json(const Plan& plan);

// Refuses as invalid, with the path to it ("steps[3].when.base: ..."), what is not JSON, has an
// unknown field or a wrong type, or is no valid plan.
Result<Plan> plan_from_json(std::string_view text);

}  // namespace assay
