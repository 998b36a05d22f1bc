// Fields: the members of one JSON object from outside, each asked for by name and type. What is
// wrong is thrown as Malformed with the path to it; the reader's entry point turns that into an
// Error.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/time.h"

namespace assay::detail {

struct Malformed {
  std::string path;  // "steps[3].when.base"
  std::string what;

  std::string text() const { return path.empty() ? what : path + ": " + what; }
};

// A text as append_text writes it.
std::string text_of(const nlohmann::json& value, const std::string& path);
std::int64_t number_of(const nlohmann::json& value, const std::string& path);

// Files of ours are read exactly: a member that is not known is an error. What others send is read
// tolerantly: unknown members are passed over, and texts are JSON strings, nothing else. A file in
// a format of ours that somebody else may have written is read leniently: tolerantly, with our
// texts.
enum class Reading { exactly, tolerantly, leniently };

// Names that are asked for outlive it: they are literals.
class Fields {
 public:
  using Name = std::string_view;

  // The object is borrowed for life.
  Fields(const nlohmann::json& object, std::string path, Reading how = Reading::exactly);

  // Of an object without members, read leniently.
  static Fields nothing(std::string path);

  bool tolerant() const { return how_ != Reading::exactly; }

  std::string path(std::string_view name) const;
  bool has(std::string_view name) const;  // and not null

  // A member that must be there; of any type.
  const nlohmann::json& any(std::string_view name);
  Fields object(std::string_view name) { return {any(name), path(name), how_}; }
  const nlohmann::json& array(std::string_view name);
  // An object in such an array.
  Fields element(const nlohmann::json& object, std::string_view array, std::size_t index) const;

  std::string text(std::string_view name);
  std::string word(std::string_view name) { return text(name); }
  std::vector<std::string> texts(std::string_view name);
  std::int64_t number(std::string_view name);
  std::uint64_t unsigned_number(std::string_view name);
  int small(std::string_view name);  // a number that fits an int
  bool flag(std::string_view name);
  Instant instant(std::string_view name) { return instant_from_ms(number(name)); }
  Duration duration(std::string_view name) { return Duration{number(name)}; }

  // Absent or null: nothing.
  std::optional<std::string> maybe_text(std::string_view name);
  std::optional<std::int64_t> maybe_number(std::string_view name);
  std::optional<Instant> maybe_instant(std::string_view name);
  std::optional<Duration> maybe_duration(std::string_view name);
  bool flag_or(std::string_view name, bool otherwise) { return has(name) ? flag(name) : otherwise; }
  std::int64_t number_or(std::string_view name, std::int64_t otherwise) {
    return has(name) ? number(name) : otherwise;
  }
  std::string text_or(std::string_view name, const char* otherwise) {
    return has(name) ? text(name) : otherwise;
  }

  // Throws where a member was never asked for, unless it is tolerant.
  void finish() const;

  [[noreturn]] void wrong(std::string_view name, std::string what) const;

 private:
  const nlohmann::json& object_;
  std::string path_;
  Reading how_;
  mutable std::vector<std::string_view> asked_;
};

}  // namespace assay::detail
