#include "harness/contract/profile_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

namespace assay {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<ProfileNumber, 8> numbers{{
    {"claim_batch", 1, "The most that one reserve may ask for.",
     [](const Profile& p) { return p.claim_batch; },
     [](Profile& p, std::int64_t value) { p.claim_batch = value; }},
    {"lease_ttl_ms", 1, "How long a lease usually lasts.",
     [](const Profile& p) { return to_ms(p.lease_ttl); },
     [](Profile& p, std::int64_t value) { p.lease_ttl = Duration{value}; }},
    {"backoff_base_ms", 0, "The first delay before a retry that the store decides.",
     [](const Profile& p) { return to_ms(p.backoff.base); },
     [](Profile& p, std::int64_t value) { p.backoff.base = Duration{value}; }},
    {"backoff_cap_ms", 0, "The longest such delay.",
     [](const Profile& p) { return to_ms(p.backoff.cap); },
     [](Profile& p, std::int64_t value) { p.backoff.cap = Duration{value}; }},
    {"default_limit", 0, "The limit of jobs that bring none, in the unit of `limit_unit`.",
     [](const Profile& p) { return p.default_limit; },
     [](Profile& p, std::int64_t value) { p.default_limit = value; }},
    {"time_resolution_ms", 1, "The step in which the store keeps times.",
     [](const Profile& p) { return to_ms(p.time_resolution); },
     [](Profile& p, std::int64_t value) { p.time_resolution = Duration{value}; }},
    {"visibility_lag_max_ms", 0, "An enqueued job is found at the latest after this.",
     [](const Profile& p) { return to_ms(p.visibility_lag_max); },
     [](Profile& p, std::int64_t value) { p.visibility_lag_max = Duration{value}; }},
    {"reclaim_lag_max_ms", 0, "An expired job can be claimed again at the latest after this.",
     [](const Profile& p) { return to_ms(p.reclaim_lag_max); },
     [](Profile& p, std::int64_t value) { p.reclaim_lag_max = Duration{value}; }},
}};

constexpr std::int64_t most = largest_profile_number;

const Json* member(const Json& object, std::string_view field) {
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// For a message: of a value that somebody else chose only the beginning, in whole letters.
std::string shown(const Json& value) {
  constexpr std::size_t enough = 80;
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.size() <= enough) return text;
  std::size_t end = enough;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

Result<std::int64_t> whole_number(const Json& value, std::string_view field, std::int64_t least) {
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : value.is_number_integer();
  if (!fits || value.get<std::int64_t>() < least)
    return invalid(
        fmt::format("profile: {} must be a whole number from {} to {}, not {}", field, least, most,
                    value.is_string() ? fmt::format("\"{}\"", shown(value)) : shown(value)));
  return value.get<std::int64_t>();
}

std::string value_names(const Knob& knob) {
  std::string names;
  for (const KnobValue& value : knob.values)
    names += (names.empty() ? "" : ", ") + std::string(value.name);
  return names;
}

Result<Profile> base_of(const Json& object) {
  const Json* base = member(object, "base");
  const std::string name = base == nullptr ? "reference" : shown(*base);
  if (const auto found = built_in_profile(name)) return *found;
  return invalid(fmt::format("profile: base \"{}\" is none of the built-in profiles {}", name,
                             fmt::join(profile_names(), ", ")));
}

Status read_knobs(const Json& object, Profile& profile) {
  for (const Knob& knob : knobs()) {
    const Json* given = member(object, knob.name);
    if (given == nullptr) continue;
    const std::string name = shown(*given);
    const auto value = std::ranges::find(knob.values, name, &KnobValue::name);
    if (!given->is_string() || value == knob.values.end())
      return invalid(fmt::format("profile: {} is {}, which is none of {}", knob.name, name,
                                 value_names(knob)));
    knob.set(profile, static_cast<int>(value - knob.values.begin()));
  }
  return Done{};
}

Status read_numbers(const Json& object, Profile& profile) {
  for (const ProfileNumber& number : numbers) {
    const Json* given = member(object, number.field);
    if (given == nullptr) continue;
    const auto value = whole_number(*given, number.field, number.least);
    if (!value) return value.error();
    number.set(profile, value.value());
  }
  const auto retention = object.find("done_retention_ms");
  if (retention == object.end()) return Done{};
  profile.done_retention.reset();
  if (retention->is_null()) return Done{};
  const auto value = whole_number(*retention, "done_retention_ms", 0);
  if (!value) return value.error();
  profile.done_retention = Duration{value.value()};
  return Done{};
}

Status read_capabilities(const Json& object, Profile& profile) {
  const Json* list = member(object, "capabilities");
  if (list == nullptr) return Done{};
  if (!list->is_array()) return invalid("profile: capabilities must be a list of names");
  profile.capabilities.clear();
  for (const Json& entry : *list) {
    const std::string name = shown(entry);
    if (std::ranges::find(capabilities(), name, &Capability::name) == capabilities().end())
      return invalid(fmt::format("profile: there is no capability named {}", name));
    profile.capabilities.insert(name);
  }
  return Done{};
}

// Only what no store could keep at the same time; an unusual mixture is the driver's own affair.
Status refuse_contradictions(const Profile& profile) {
  if (profile.late_settle == LateSettle::unfenced && profile.fence != Fence::none)
    return invalid(
        "profile: late_settle is unfenced, so settles are not checked, but fence says what they "
        "are checked by; set fence to none");
  if (profile.backoff.cap < profile.backoff.base)
    return invalid("profile: backoff_cap_ms is less than backoff_base_ms");
  if (profile.limit_unit == LimitUnit::attempts && profile.default_limit < 1)
    return invalid(
        "profile: default_limit is 0 and limit_unit is attempts, so jobs without a limit of their "
        "own could never run");
  return Done{};
}

}  // namespace

std::span<const ProfileNumber> profile_numbers() { return numbers; }

std::string to_json(const Profile& profile) {
  Json object;
  object["base"] = profile.name;
  for (const Knob& knob : knobs())
    object[std::string(knob.name)] = knob.values[static_cast<std::size_t>(knob.get(profile))].name;
  for (const ProfileNumber& number : numbers)
    object[std::string(number.field)] = number.get(profile);
  if (profile.done_retention)
    object["done_retention_ms"] = to_ms(*profile.done_retention);
  else
    object["done_retention_ms"] = nullptr;
  object["capabilities"] = profile.capabilities;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Profile> profile_from_json(std::string_view text) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return invalid("profile: not a JSON object");
  auto profile = base_of(object);
  if (!profile) return profile;
  for (const auto step : {read_knobs, read_numbers, read_capabilities})
    if (auto status = step(object, *profile); !status) return status.error();
  if (auto status = refuse_contradictions(*profile); !status) return status.error();
  return profile;
}

std::vector<std::string> unknown_profile_fields(std::string_view text) {
  std::vector<std::string> unknown;
  const auto object = Json::parse(text, nullptr, false);
  const auto known = Json::parse(to_json(Profile{}));
  if (object.is_object())
    for (const auto& [name, value] : object.items())
      if (!known.contains(name)) unknown.push_back(name);
  return unknown;
}

}  // namespace assay
