// Plans and profiles as JSON text. Only what differs from a field's default is written.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/plan.h"

namespace assay {

std::string to_json(const Plan& plan);
Result<Plan> plan_from_json(std::string_view text);

std::string to_json(
    const Profile& profile);  // an object as in docs/protocol.md, every knob written
// What is left out takes the value of `base` (a built-in profile's name in the object), or of
// `reference`.
Result<Profile> profile_from_json(std::string_view text);

}  // namespace assay
