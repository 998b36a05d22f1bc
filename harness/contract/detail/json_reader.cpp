#include "harness/contract/detail/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/contract/base64.h"

namespace assay::detail {

using nlohmann::json;

std::string text_of(const json& value, const std::string& path) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.size() == 1 && value.contains("base64")) {
    const json& encoded = value.at("base64");
    if (encoded.is_string())
      if (auto bytes = from_base64(encoded.get_ref<const std::string&>())) return *bytes;
    throw Malformed{path, "not valid base64"};
  }
  throw Malformed{path, fmt::format("must be a text, is {}", value.type_name())};
}

std::int64_t number_of(const json& value, const std::string& path) {
  if (!value.is_number_integer())
    throw Malformed{path, fmt::format("must be a whole number, is {}",
                                      value.is_number() ? "a fraction" : value.type_name())};
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    throw Malformed{path, "is too large a number"};
  return value.get<std::int64_t>();
}

Fields::Fields(const json& object, std::string path, Reading how)
    : object_(object), path_(std::move(path)), how_(how) {
  if (!object.is_object())
    throw Malformed{path_, fmt::format("must be an object, is {}", object.type_name())};
}

Fields Fields::nothing(std::string path) {
  static const json empty = json::object();
  return {empty, std::move(path), Reading::leniently};
}

std::string Fields::path(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

bool Fields::has(std::string_view name) const {
  if (!tolerant()) asked_.push_back(name);
  const auto found = object_.find(name);
  return found != object_.end() && !found->is_null();
}

const json& Fields::any(std::string_view name) {
  if (!tolerant()) asked_.push_back(name);
  const auto found = object_.find(name);
  if (found == object_.end() || found->is_null()) wrong(name, "is missing");
  return *found;
}

Fields Fields::element(const json& object, std::string_view array, std::size_t index) const {
  return {object, fmt::format("{}[{}]", path(array), index), how_};
}

// Paths are put together only where they are told: most messages are sound.
std::string Fields::text(std::string_view name) {
  const json& value = any(name);
  if (value.is_string()) return value.get_ref<const std::string&>();
  if (how_ == Reading::tolerantly)
    wrong(name, fmt::format("must be a text, is {}", value.type_name()));
  return text_of(value, path(name));
}

std::int64_t Fields::number(std::string_view name) {
  const json& value = any(name);
  const auto* unsigned_value = value.get_ptr<const json::number_unsigned_t*>();
  if (unsigned_value && *unsigned_value <= std::numeric_limits<std::int64_t>::max())
    return static_cast<std::int64_t>(*unsigned_value);
  return number_of(value, path(name));
}

const json& Fields::array(std::string_view name) {
  const json& value = any(name);
  if (!value.is_array()) wrong(name, fmt::format("must be a list, is {}", value.type_name()));
  return value;
}

std::vector<std::string> Fields::texts(std::string_view name) {
  std::vector<std::string> texts;
  for (const json& element : array(name)) {
    const std::string where = fmt::format("{}[{}]", path(name), texts.size());
    if (how_ == Reading::tolerantly && !element.is_string())
      throw Malformed{where, fmt::format("must be a text, is {}", element.type_name())};
    texts.push_back(text_of(element, where));
  }
  return texts;
}

std::uint64_t Fields::unsigned_number(std::string_view name) {
  const json& value = any(name);
  if (!value.is_number_unsigned()) wrong(name, "must be a whole number, not negative");
  return value.get<std::uint64_t>();
}

int Fields::small(std::string_view name) {
  const std::int64_t value = number(name);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    wrong(name, "is out of range");
  return static_cast<int>(value);
}

bool Fields::flag(std::string_view name) {
  const json& value = any(name);
  if (!value.is_boolean())
    wrong(name, fmt::format("must be true or false, is {}", value.type_name()));
  return value.get<bool>();
}

std::optional<std::string> Fields::maybe_text(std::string_view name) {
  return has(name) ? std::optional(text(name)) : std::nullopt;
}
std::optional<std::int64_t> Fields::maybe_number(std::string_view name) {
  return has(name) ? std::optional(number(name)) : std::nullopt;
}
std::optional<Instant> Fields::maybe_instant(std::string_view name) {
  return has(name) ? std::optional(instant(name)) : std::nullopt;
}
std::optional<Duration> Fields::maybe_duration(std::string_view name) {
  return has(name) ? std::optional(duration(name)) : std::nullopt;
}

void Fields::finish() const {
  if (tolerant()) return;
  for (const auto& [name, value] : object_.items())
    if (std::find(asked_.begin(), asked_.end(), name) == asked_.end())
      throw Malformed{path(name), "is not a known field"};
}

void Fields::wrong(std::string_view name, std::string what) const {
  throw Malformed{path(name), std::move(what)};
}

}  // namespace assay::detail
