#include "harness/contract/detail/quick_json.h"

#include <bit>
#include <cstring>

namespace assay::detail {

static constexpr int deepest = 16;

// Eight characters at a time: each is a byte of a word, the first the lowest.
namespace eight {

static constexpr bool can = std::endian::native == std::endian::little;
static constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;

static std::uint64_t at(const char* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The top bit of the lowest byte that is zero, and perhaps of some above it.
static std::uint64_t zeros(std::uint64_t word) { return (word - ones) & ~word & tops; }

// The same for the first character that does not just stand for itself in a text.
static std::uint64_t special(std::uint64_t word) {
  const std::uint64_t below_space = (word - ones * 0x20) & ~word;
  const std::uint64_t above_tilde = (word + ones) | word;
  return ((below_space | above_tilde) & tops) | zeros(word ^ (ones * '"')) |
         zeros(word ^ (ones * '\\'));
}

static bool are_digits(std::uint64_t word) {
  const std::uint64_t highs = ones * 0xf0, zeros = ones * '0';
  return (word & highs) == zeros && ((word + ones * 6) & highs) == zeros;
}

// Pairs of digits become numbers below a hundred, pairs of those, and once more.
static std::uint64_t number(std::uint64_t digits) {
  digits = (digits & (ones * 0x0f)) * 2561 >> 8;
  digits = (digits & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  return (digits & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

}  // namespace eight

bool QuickJson::parse(std::string_view text) {
  at_ = text.data();
  end_ = at_ + text.size();
  values_.clear();
  skip_space();
  if (at_ == end_ || *at_ != '{' || !value({}, 0)) return false;
  skip_space();
  return at_ == end_;
}

inline void QuickJson::skip_space() {
  if (at_ != end_ && *at_ > ' ') return;
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
}

bool QuickJson::value(const QuickName& name, int depth) {
  if (at_ == end_ || depth > deepest) return false;
  const auto whole = static_cast<std::uint32_t>(values_.size());
  values_.emplace_back().name = name;
  Value& made = values_.back();
  bool plain = false;
  switch (*at_) {
    case '{':
      ++at_;
      plain = members(whole, depth);  // `made` is not used any more
      break;
    case '[':
      ++at_;
      made.kind = Kind::array;
      plain = elements(depth);
      break;
    case '"':
      ++at_;
      made.kind = Kind::text;
      plain = text(made.text);
      break;
    case 't':
      made.kind = Kind::yes;
      plain = word("true");
      break;
    case 'f':
      made.kind = Kind::no;
      plain = word("false");
      break;
    default:
      made.kind = Kind::number;
      plain = number(made.number);
  }
  values_[whole].after = static_cast<std::uint32_t>(values_.size());
  return plain;
}

// The same as QuickName(text), in fewer steps.
inline QuickName QuickJson::name(std::string_view text) const {
  if (!eight::can || end_ - text.data() < 8) return text;
  const std::uint64_t kept = std::min<std::size_t>(text.size(), 7);
  const std::uint64_t characters = eight::at(text.data()) & ((std::uint64_t{1} << 8 * kept) - 1);
  return {text, std::min<std::size_t>(text.size(), 255) | characters << 8};
}

// Notes the name; false where the object has it already.
bool QuickJson::is_new(std::uint32_t whole, const QuickName& name) {
  const std::uint64_t bit = name.bit();
  if (values_[whole].members & bit)
    for (std::size_t at = whole + 1; at < values_.size(); at = values_[at].after)
      if (values_[at].name == name) return false;
  values_[whole].members |= bit;
  return true;
}

bool QuickJson::members(std::uint32_t whole, int depth) {
  skip_space();
  if (at_ != end_ && *at_ == '}') return ++at_, true;
  for (;;) {
    skip_space();
    std::string_view text;
    if (at_ == end_ || *at_ != '"' || (++at_, !this->text(text))) return false;
    skip_space();
    if (at_ == end_ || *at_ != ':') return false;
    ++at_;
    skip_space();
    const QuickName named = name(text);
    if (!is_new(whole, named) || !value(named, depth + 1)) return false;
    skip_space();
    if (at_ == end_) return false;
    if (*at_ == '}') return ++at_, true;
    if (*at_++ != ',') return false;
  }
}

bool QuickJson::elements(int depth) {
  skip_space();
  if (at_ != end_ && *at_ == ']') return ++at_, true;
  for (;;) {
    skip_space();
    if (!value({}, depth + 1)) return false;
    skip_space();
    if (at_ == end_) return false;
    if (*at_ == ']') return ++at_, true;
    if (*at_++ != ',') return false;
  }
}

static bool is_plain(char character) {
  const auto c = static_cast<unsigned char>(character);
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

bool QuickJson::text(std::string_view& to) {
  const char* at = at_;
  for (; eight::can && end_ - at >= 8; at += 8)
    if (const std::uint64_t special = eight::special(eight::at(at))) {
      at += std::countr_zero(special) / 8;
      break;
    }
  while (at != end_ && is_plain(*at)) ++at;
  if (at == end_ || *at != '"') return false;
  to = {at_, static_cast<std::size_t>(at - at_)};
  at_ = at + 1;
  return true;
}

// Up to so many digits every number fits.
bool QuickJson::number(std::int64_t& to) {
  constexpr int most_digits = 18;
  const bool negative = *at_ == '-';
  if (negative) ++at_;
  const char* from = at_;
  std::int64_t value = 0;
  if (eight::can && end_ - at_ >= 8 && eight::are_digits(eight::at(at_))) {
    value = static_cast<std::int64_t>(eight::number(eight::at(at_)));
    at_ += 8;
  }
  for (; at_ != end_ && *at_ >= '0' && *at_ <= '9' && at_ - from <= most_digits; ++at_)
    value = value * 10 + (*at_ - '0');
  const auto digits = at_ - from;
  if (digits == 0 || digits > most_digits || (*from == '0' && (digits > 1 || negative)))
    return false;
  // What follows is no part of a number, or it is not a whole one.
  if (at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E')) return false;
  to = negative ? -value : value;
  return true;
}

bool QuickJson::word(std::string_view expected) {
  if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, expected.size()) !=
      expected)
    return false;
  at_ += expected.size();
  return true;
}

const QuickFields::Value* QuickFields::seek(const QuickName& name) const {
  for (std::uint32_t at = at_ + 1; at < values_[at_].after; at = values_[at].after)
    if (values_[at].name == name) return &values_[at];
  return nullptr;
}

QuickFields QuickFields::object(const QuickName& name) const {
  const Value& value = any(name);
  if (value.kind != QuickJson::Kind::object) throw Unusual{};
  return {values_, static_cast<std::uint32_t>(&value - values_.data())};
}

QuickFields::Elements QuickFields::array(const QuickName& name) const {
  const Value& value = any(name);
  if (value.kind != QuickJson::Kind::array) throw Unusual{};
  return {values_.data(), static_cast<std::uint32_t>(&value - values_.data())};
}

QuickFields QuickFields::element(std::uint32_t at, const QuickName&, std::size_t) const {
  if (values_[at].kind != QuickJson::Kind::object) throw Unusual{};
  return {values_, at};
}

std::string_view QuickFields::text_in(const Value& value) {
  if (value.kind != QuickJson::Kind::text) throw Unusual{};
  return value.text;
}

std::int64_t QuickFields::number_in(const Value& value) {
  if (value.kind != QuickJson::Kind::number) throw Unusual{};
  return value.number;
}

std::vector<std::string> QuickFields::texts(const QuickName& name) const {
  std::vector<std::string> all;
  for (const std::uint32_t at : array(name)) all.emplace_back(text_in(values_[at]));
  return all;
}

std::int64_t QuickFields::number(const QuickName& name) const { return number_in(any(name)); }

std::uint64_t QuickFields::unsigned_number(const QuickName& name) const {
  const std::int64_t value = number(name);
  if (value < 0) throw Unusual{};
  return static_cast<std::uint64_t>(value);
}

bool QuickFields::flag(const QuickName& name) const {
  const Value& value = any(name);
  if (value.kind != QuickJson::Kind::yes && value.kind != QuickJson::Kind::no) throw Unusual{};
  return value.kind == QuickJson::Kind::yes;
}

std::optional<std::string> QuickFields::maybe_text(const QuickName& name) const {
  const Value* value = find(name);
  return value ? std::optional<std::string>(text_in(*value)) : std::nullopt;
}
std::optional<std::int64_t> QuickFields::maybe_number(const QuickName& name) const {
  const Value* value = find(name);
  return value ? std::optional(number_in(*value)) : std::nullopt;
}
std::optional<Instant> QuickFields::maybe_instant(const QuickName& name) const {
  const Value* value = find(name);
  return value ? std::optional(instant_from_ms(number_in(*value))) : std::nullopt;
}
std::optional<Duration> QuickFields::maybe_duration(const QuickName& name) const {
  const Value* value = find(name);
  return value ? std::optional(Duration{number_in(*value)}) : std::nullopt;
}

}  // namespace assay::detail
