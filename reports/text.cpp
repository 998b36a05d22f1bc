#include "reports/text.h"

#include <fmt/format.h>

#include <cmath>

namespace assay::text {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string duration_text(double seconds) {
  if (seconds < 10 && seconds != std::floor(seconds)) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole % 60 == 0) return fmt::format("{} min", whole / 60);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c != '\n' && (byte < 0x20 || byte == 0x7f))
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

std::string cut(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  if (width <= 3) return std::string(text.substr(0, width));
  std::size_t end = width - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + "...";
}

static void wrap_paragraph(std::string_view line, std::size_t width, std::size_t indent,
                           std::size_t hanging, std::string& out) {
  std::string current(indent, ' ');
  bool has_word = false;
  std::size_t at = 0;
  while (at < line.size()) {
    std::size_t end = line.find(' ', at);
    if (end == std::string_view::npos) end = line.size();
    const std::string_view word = line.substr(at, end - at);
    at = end + 1;
    if (word.empty() && has_word) continue;
    if (has_word && current.size() + 1 + word.size() > width) {
      out += current + "\n";
      current.assign(indent + hanging, ' ');
      has_word = false;
    }
    if (has_word || word.empty()) current += ' ';
    current += word;
    has_word = has_word || !word.empty();
  }
  if (has_word) out += current;
  out += "\n";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t hanging) {
  std::string out;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  for (;;) {
    const std::size_t end = text.find('\n');
    wrap_paragraph(text.substr(0, end), width, indent, hanging, out);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

}  // namespace assay::text
