// Fields: named texts of any bytes as one text, for what is kept in a record.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace assay::engine::detail {

class Fields {
 public:
  // Nothing where it was not made by `text`.
  static std::optional<Fields> read(std::string_view text);
  std::string text() const;

  void set(const std::string& name, std::string value) { values_[name] = std::move(value); }
  void set(const std::string& name, std::int64_t value) { set(name, std::to_string(value)); }
  // One that is absent is not there afterwards.
  template <class T>
  void set(const std::string& name, const std::optional<T>& value) {
    if (value) set(name, *value);
  }

  std::optional<std::string> get(const std::string& name) const;
  // Nothing also where it is no number.
  std::optional<std::int64_t> number(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

// A part of a key, so that parts joined by '/' can be told apart again: bytes other than letters,
// digits and a few more as %XX.
std::string escaped(std::string_view part);

}  // namespace assay::engine::detail
