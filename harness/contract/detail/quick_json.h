// QuickJson, QuickFields: one line of plain JSON, read without building anything.
//
// Plain is what programs write: whole numbers, texts of ASCII without escapes, no member twice, not
// too deep. What is not plain, or not what was asked for, is thrown as Unusual: then Fields read it
// again, and say what is wrong with it. What is read here, Fields (Reading::leniently) read alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/time.h"

namespace assay::detail {

struct Unusual {};

class QuickJson {
 public:
  enum class Kind : std::uint8_t { object, array, text, number, yes, no };
  struct Value {
    std::string_view name = {};  // within an object
    std::string_view text = {};
    std::int64_t number = 0;
    std::uint32_t after = 0;  // where the next one after it is, beside it
    Kind kind = Kind::object;
  };

  // The text is borrowed until the next one. False where it is not a plain object.
  bool parse(std::string_view text);

  const std::vector<Value>& values() const { return values_; }  // each before what is within

 private:
  bool value(std::string_view name, int depth);
  bool members(int depth);
  bool elements(int depth);
  bool text(std::string_view& to);
  bool number(std::int64_t& to);
  bool word(std::string_view expected);
  void skip_space();

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::vector<Value> values_;
};

// As Fields.
class QuickFields {
 public:
  using Value = QuickJson::Value;

  // Borrowed for life.
  explicit QuickFields(const QuickJson& json) : QuickFields(json.values(), 0) {}

  [[noreturn]] static QuickFields nothing(std::string_view) { throw Unusual{}; }
  bool tolerant() const { return true; }

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Value& any(std::string_view name) const;
  QuickFields object(std::string_view name) const;
  std::vector<std::uint32_t> array(std::string_view name) const;
  QuickFields element(std::uint32_t at, std::string_view, std::size_t) const;

  std::string text(std::string_view name) const { return std::string(text_in(any(name))); }
  std::vector<std::string> texts(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  std::uint64_t unsigned_number(std::string_view name) const;
  bool flag(std::string_view name) const;
  Instant instant(std::string_view name) const { return instant_from_ms(number(name)); }
  Duration duration(std::string_view name) const { return Duration{number(name)}; }

  std::optional<std::string> maybe_text(std::string_view name) const;
  std::optional<std::int64_t> maybe_number(std::string_view name) const;
  std::optional<Instant> maybe_instant(std::string_view name) const;
  std::optional<Duration> maybe_duration(std::string_view name) const;
  bool flag_or(std::string_view name, bool otherwise) const {
    return has(name) ? flag(name) : otherwise;
  }
  std::int64_t number_or(std::string_view name, std::int64_t otherwise) const {
    return has(name) ? number(name) : otherwise;
  }
  std::string text_or(std::string_view name, const char* otherwise) const {
    return has(name) ? text(name) : otherwise;
  }

  void finish() const {}
  template <class What>
  [[noreturn]] void wrong(std::string_view, const What&) const {
    throw Unusual{};
  }

 private:
  QuickFields(const std::vector<Value>& values, std::uint32_t at) : values_(values), at_(at) {}
  const Value* find(std::string_view name) const;
  static std::string_view text_in(const Value& value);
  static std::int64_t number_in(const Value& value);

  const std::vector<Value>& values_;
  std::uint32_t at_;
};

}  // namespace assay::detail
