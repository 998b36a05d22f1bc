// JsonObject: one object, written member by member to the end of a text. Fast and in the order
// given, so that equal data have equal bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/time.h"

namespace assay::detail {

bool is_utf8(std::string_view bytes);

// A JSON string; bytes that are not UTF-8 become {"base64": "..."}.
void append_text(std::string& out, std::string_view text);

class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }
  void end() { out_ += '}'; }

  // The member's name; its value is then appended to what is returned.
  std::string& member(std::string_view name);

  void text(std::string_view name, std::string_view value) { append_text(member(name), value); }
  void text(std::string_view name, const std::string& value) { append_text(member(name), value); }
  void text(std::string_view name, const char* value) { append_text(member(name), value); }
  void texts(std::string_view name, const std::vector<std::string>& values);
  void number(std::string_view name, std::int64_t value);
  void unsigned_number(std::string_view name, std::uint64_t value);
  void flag(std::string_view name, bool value) { member(name) += value ? "true" : "false"; }
  void instant(std::string_view name, Instant value) { number(name, to_ms(value)); }
  void duration(std::string_view name, Duration value) { number(name, to_ms(value)); }

  // An absent value writes nothing.
  void text(std::string_view name, const std::optional<std::string>& value) {
    if (value) text(name, std::string_view(*value));
  }
  void number(std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) number(name, *value);
  }
  void instant(std::string_view name, const std::optional<Instant>& value) {
    if (value) instant(name, *value);
  }
  void duration(std::string_view name, const std::optional<Duration>& value) {
    if (value) duration(name, *value);
  }

 private:
  std::string& out_;
  bool first_ = true;
};

// [a,b,...], each written by `write(out, element)`.
template <class Elements, class Write>
void append_array(std::string& out, const Elements& elements, Write write) {
  out += '[';
  bool first = true;
  for (const auto& element : elements) {
    if (!first) out += ',';
    first = false;
    write(out, element);
  }
  out += ']';
}

}  // namespace assay::detail
