// Profiles as JSON text: the object of docs/protocol.md, "The profile".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/profile.h"

namespace assay {

// One number of a profile: its field, the least it may be, what it says, the way into a Profile.
struct ProfileNumber {
  std::string_view field;
  std::int64_t least;
  std::string_view meaning;  // one sentence, for people
  std::int64_t (*get)(const Profile&);
  void (*set)(Profile&, std::int64_t);
};
std::span<const ProfileNumber> profile_numbers();  // all but done_retention_ms, which may be null

// Larger than any count or length of time that a profile can mean.
inline constexpr std::int64_t largest_profile_number = to_ms(end_of_time);

// One line, every knob, number and capability written.
std::string to_json(const Profile& profile);

// The fields of the object that mean nothing to profile_from_json: likely typing errors in a file.
std::vector<std::string> unknown_profile_fields(std::string_view text);

// What is left out, or null, takes the value of `base` (a built-in profile's name in the object),
// or of `reference`; a `capabilities` list replaces the base's. Fields it does not know are
// ignored; a null `done_retention_ms` means not said. Refuses as invalid: text that is no JSON
// object, an unknown base, knob value or capability, a number that is none or out of range, and
// knobs that contradict each other.
Result<Profile> profile_from_json(std::string_view text);

}  // namespace assay
