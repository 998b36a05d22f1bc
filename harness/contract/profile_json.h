// Profiles as JSON text: the object of docs/protocol.md, "The profile".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/profile.h"

namespace assay {

// One line, every knob, number and capability written.
std::string to_json(const Profile& profile);

// What is left out, or null, takes the value of `base` (a built-in profile's name in the object),
// or of `reference`; a `capabilities` list replaces the base's. Fields it does not know are
// ignored; a null `done_retention_ms` means not said. Refuses as invalid: text that is no JSON
// object, an unknown base, knob value or capability, a number that is none or out of range, and
// knobs that contradict each other.
// The fields of the object that mean nothing to profile_from_json: likely typing errors in a file.
std::vector<std::string> unknown_profile_fields(std::string_view text);

Result<Profile> profile_from_json(std::string_view text);

}  // namespace assay
