#include "drivers/stored/cursor.h"

#include <charconv>

namespace assay::stored {

static constexpr std::string_view digits = "0123456789abcdef";

std::string show_cursor(std::string_view kind, const Cursor& cursor) {
  std::string text = "v1:" + std::string(kind) + ":" + std::to_string(cursor.at_ms) + ":";
  for (unsigned char byte : cursor.id) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

static std::optional<std::string> from_hex(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = digits.find(text[i]);
    const auto low = digits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::optional<Cursor> parse_cursor(std::string_view kind, std::string_view text) {
  const std::string start = "v1:" + std::string(kind) + ":";
  if (!text.starts_with(start)) return std::nullopt;
  text.remove_prefix(start.size());
  Cursor cursor;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cursor.at_ms);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') return std::nullopt;
  const auto id = from_hex(text.substr(static_cast<std::size_t>(end - text.data()) + 1));
  if (!id) return std::nullopt;
  cursor.id = *id;
  return cursor;
}

}  // namespace assay::stored
