// QuickJson, QuickFields: one line of plain JSON, read without building anything.
//
// Plain is what programs write: whole numbers, texts of ASCII without escapes, no member twice, not
// too deep. What is not plain, or not what was asked for, is thrown as Unusual: then Fields read it
// again, and say what is wrong with it. What is read here, Fields (Reading::leniently) read alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/time.h"

namespace assay::detail {

struct Unusual {};

// The name of a member, told from others by one number; two may have the same number only if both
// have more than seven characters.
struct QuickName {
  std::string_view text = {};
  std::uint64_t number = 0;  // its size and its first characters

  constexpr QuickName() = default;
  constexpr QuickName(std::string_view name, std::uint64_t its_number)
      : text(name), number(its_number) {}
  constexpr QuickName(std::string_view name)
      : text(name), number(std::min<std::size_t>(name.size(), 255)) {
    for (std::size_t i = 0; i < name.size() && i < 7; ++i)
      number |= std::uint64_t{static_cast<unsigned char>(name[i])} << (8 * i + 8);
  }
  // Of a literal: nothing is left to do when the program runs.
  template <std::size_t Size>
  consteval QuickName(const char (&name)[Size]) : QuickName(std::string_view(name)) {}

  // One of 64: what an object has not, it has no such name.
  constexpr std::uint64_t bit() const {
    return std::uint64_t{1} << (number * 0x9e3779b97f4a7c15ULL >> 58);
  }
  constexpr bool operator==(const QuickName& other) const {
    return number == other.number && (text.size() <= 7 || text == other.text);
  }
};

class QuickJson {
 public:
  enum class Kind : std::uint8_t { object, array, text, number, yes, no };
  struct Value {
    QuickName name = {};  // within an object
    std::string_view text = {};
    std::int64_t number = 0;
    std::uint64_t members = 0;  // of an object: the bits of their names
    std::uint32_t after = 0;    // where the next one after it is, beside it
    Kind kind = Kind::object;
  };

  // The text is borrowed until the next one. False where it is not a plain object.
  bool parse(std::string_view text);

  const std::vector<Value>& values() const { return values_; }  // each before what is within

 private:
  bool value(const QuickName& name, int depth);
  bool members(std::uint32_t whole, int depth);
  bool is_new(std::uint32_t whole, const QuickName& name);
  bool elements(int depth);
  bool text(std::string_view& to);
  bool number(std::int64_t& to);
  bool word(std::string_view expected);
  void skip_space();

  QuickName name(std::string_view text) const;

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::vector<Value> values_;
};

// As Fields.
class QuickFields {
 public:
  using Value = QuickJson::Value;
  using Name = QuickName;

  // The elements of an array, by number.
  class Elements {
   public:
    struct Iterator {
      const Value* values;
      std::uint32_t at;
      std::uint32_t operator*() const { return at; }
      Iterator& operator++() { return at = values[at].after, *this; }
      bool operator==(const Iterator&) const = default;
    };
    Elements(const Value* values, std::uint32_t array) : values_(values), array_(array) {}
    Iterator begin() const { return {values_, array_ + 1}; }
    Iterator end() const { return {values_, values_[array_].after}; }

   private:
    const Value* values_;
    std::uint32_t array_;
  };

  // Borrowed for life.
  explicit QuickFields(const QuickJson& json) : QuickFields(json.values(), 0) {}

  [[noreturn]] static QuickFields nothing(std::string_view) { throw Unusual{}; }
  bool tolerant() const { return true; }

  bool has(const QuickName& name) const { return find(name) != nullptr; }
  const Value& any(const QuickName& name) const {
    if (const Value* found = find(name)) return *found;
    throw Unusual{};
  }
  QuickFields object(const QuickName& name) const;
  Elements array(const QuickName& name) const;
  QuickFields element(std::uint32_t at, const QuickName&, std::size_t) const;

  std::string text(const QuickName& name) const { return std::string(text_in(any(name))); }
  // To be looked at, not to be kept.
  std::string_view word(const QuickName& name) const { return text_in(any(name)); }
  std::vector<std::string> texts(const QuickName& name) const;
  std::int64_t number(const QuickName& name) const;
  std::uint64_t unsigned_number(const QuickName& name) const;
  bool flag(const QuickName& name) const;
  Instant instant(const QuickName& name) const { return instant_from_ms(number(name)); }
  Duration duration(const QuickName& name) const { return Duration{number(name)}; }

  std::optional<std::string> maybe_text(const QuickName& name) const;
  std::optional<std::int64_t> maybe_number(const QuickName& name) const;
  std::optional<Instant> maybe_instant(const QuickName& name) const;
  std::optional<Duration> maybe_duration(const QuickName& name) const;
  bool flag_or(const QuickName& name, bool otherwise) const {
    return has(name) ? flag(name) : otherwise;
  }
  std::int64_t number_or(const QuickName& name, std::int64_t otherwise) const {
    return has(name) ? number(name) : otherwise;
  }
  std::string text_or(const QuickName& name, const char* otherwise) const {
    return has(name) ? text(name) : otherwise;
  }

  void finish() const {}
  template <class What>
  [[noreturn]] void wrong(const QuickName&, const What&) const {
    throw Unusual{};
  }

 private:
  QuickFields(const std::vector<Value>& values, std::uint32_t at) : values_(values), at_(at) {}
  const Value* find(const QuickName& name) const {
    return values_[at_].members & name.bit() ? seek(name) : nullptr;
  }
  const Value* seek(const QuickName& name) const;
  static std::string_view text_in(const Value& value);
  static std::int64_t number_in(const Value& value);

  const std::vector<Value>& values_;
  std::uint32_t at_;
};

}  // namespace assay::detail
