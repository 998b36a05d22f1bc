#include "harness/contract/detail/json_writer.h"

#include <fmt/format.h>

#include <iterator>

#include "harness/contract/base64.h"

namespace assay::detail {

// The length of the well-formed sequence that begins here; 0: none does.
static std::size_t sequence(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes.size() < length) return 0;
  // The second byte's range rules out overlong forms, surrogates and what is beyond U+10FFFF.
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (at(1) < low || at(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (at(i) < 0x80 || at(i) > 0xbf) return 0;
  return length;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = sequence(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

static void append_escaped(std::string& out, char c) {
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (c == '\n') {
    out += "\\n";
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  }
}

void append_text(std::string& out, std::string_view text) {
  if (!is_utf8(text)) {
    out += "{\"base64\":\"";
    out += base64(text);
    out += "\"}";
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\' || (c >= 0 && c < 0x20) || c == 0x7f)
      append_escaped(out, c);
    else
      out += c;
  }
  out += '"';
}

std::string& JsonObject::member(std::string_view name) {
  if (!first_) out_ += ',';
  first_ = false;
  out_ += '"';
  out_ += name;
  out_ += "\":";
  return out_;
}

void JsonObject::texts(std::string_view name, const std::vector<std::string>& values) {
  append_array(member(name), values, append_text);
}

void JsonObject::number(std::string_view name, std::int64_t value) {
  fmt::format_to(std::back_inserter(member(name)), "{}", value);
}

void JsonObject::unsigned_number(std::string_view name, std::uint64_t value) {
  fmt::format_to(std::back_inserter(member(name)), "{}", value);
}

}  // namespace assay::detail
