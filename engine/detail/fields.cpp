#include "engine/detail/fields.h"

#include <fmt/format.h>

#include <charconv>

namespace assay::engine::detail {
namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

// Each as "name length:value\n".
std::string Fields::text() const {
  std::string text;
  for (const auto& [name, value] : values_)
    text += fmt::format("{} {}:{}\n", name, value.size(), value);
  return text;
}

std::optional<Fields> Fields::read(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::size_t colon = blank == text.npos ? blank : text.find(':', blank);
    if (colon == text.npos) return std::nullopt;
    const auto length = number_in<std::size_t>(text.substr(blank + 1, colon - blank - 1));
    if (!length || *length >= text.size() - colon - 1 || text[colon + 1 + *length] != '\n')
      return std::nullopt;
    fields.set(std::string(text.substr(0, blank)), std::string(text.substr(colon + 1, *length)));
    text.remove_prefix(colon + 2 + *length);
  }
  return fields;
}

std::optional<std::string> Fields::get(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::int64_t> Fields::number(const std::string& name) const {
  const auto found = get(name);
  return found ? number_in<std::int64_t>(*found) : std::nullopt;
}

std::string escaped(std::string_view part) {
  std::string text;
  for (const char c : part) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':';
    if (is_plain)
      text += c;
    else
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

}  // namespace assay::engine::detail
