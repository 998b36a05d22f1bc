#include "harness/contract/detail/quick_json.h"

namespace assay::detail {

static constexpr int deepest = 16;

bool QuickJson::parse(std::string_view text) {
  at_ = text.data();
  end_ = at_ + text.size();
  values_.clear();
  skip_space();
  if (at_ == end_ || *at_ != '{' || !value({}, 0)) return false;
  skip_space();
  return at_ == end_;
}

void QuickJson::skip_space() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
}

bool QuickJson::value(std::string_view name, int depth) {
  if (at_ == end_ || depth > deepest) return false;
  const auto whole = static_cast<std::uint32_t>(values_.size());
  values_.emplace_back().name = name;
  Value& made = values_.back();
  bool plain = false;
  switch (*at_) {
    case '{':
      ++at_;
      plain = members(depth);  // `made` is not used any more
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

bool QuickJson::members(int depth) {
  skip_space();
  if (at_ != end_ && *at_ == '}') return ++at_, true;
  for (;;) {
    skip_space();
    std::string_view name;
    if (at_ == end_ || *at_ != '"' || (++at_, !text(name))) return false;
    skip_space();
    if (at_ == end_ || *at_ != ':') return false;
    ++at_;
    skip_space();
    if (!value(name, depth + 1)) return false;
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

bool QuickJson::text(std::string_view& to) {
  const char* from = at_;
  for (; at_ != end_; ++at_) {
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '"') {
      to = {from, static_cast<std::size_t>(at_ - from)};
      ++at_;
      return true;
    }
    if (c < 0x20 || c >= 0x7f || c == '\\') return false;
  }
  return false;
}

// Up to so many digits every number fits.
bool QuickJson::number(std::int64_t& to) {
  constexpr int most_digits = 18;
  const bool negative = *at_ == '-';
  if (negative) ++at_;
  const char* from = at_;
  std::int64_t value = 0;
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

const QuickFields::Value* QuickFields::find(std::string_view name) const {
  const Value* found = nullptr;
  for (std::uint32_t at = at_ + 1; at < values_[at_].after; at = values_[at].after) {
    if (values_[at].name != name) continue;
    if (found) throw Unusual{};
    found = &values_[at];
  }
  return found;
}

const QuickFields::Value& QuickFields::any(std::string_view name) const {
  const Value* found = find(name);
  if (!found) throw Unusual{};
  return *found;
}

QuickFields QuickFields::object(std::string_view name) const {
  const Value& value = any(name);
  if (value.kind != QuickJson::Kind::object) throw Unusual{};
  return {values_, static_cast<std::uint32_t>(&value - values_.data())};
}

std::vector<std::uint32_t> QuickFields::array(std::string_view name) const {
  const Value& value = any(name);
  if (value.kind != QuickJson::Kind::array) throw Unusual{};
  std::vector<std::uint32_t> all;
  const auto whole = static_cast<std::uint32_t>(&value - values_.data());
  for (std::uint32_t at = whole + 1; at < value.after; at = values_[at].after) all.push_back(at);
  return all;
}

QuickFields QuickFields::element(std::uint32_t at, std::string_view, std::size_t) const {
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

std::vector<std::string> QuickFields::texts(std::string_view name) const {
  std::vector<std::string> all;
  for (const std::uint32_t at : array(name)) all.emplace_back(text_in(values_[at]));
  return all;
}

std::int64_t QuickFields::number(std::string_view name) const { return number_in(any(name)); }

std::uint64_t QuickFields::unsigned_number(std::string_view name) const {
  const std::int64_t value = number(name);
  if (value < 0) throw Unusual{};
  return static_cast<std::uint64_t>(value);
}

bool QuickFields::flag(std::string_view name) const {
  const Value& value = any(name);
  if (value.kind != QuickJson::Kind::yes && value.kind != QuickJson::Kind::no) throw Unusual{};
  return value.kind == QuickJson::Kind::yes;
}

std::optional<std::string> QuickFields::maybe_text(std::string_view name) const {
  const Value* value = find(name);
  return value ? std::optional<std::string>(text_in(*value)) : std::nullopt;
}
std::optional<std::int64_t> QuickFields::maybe_number(std::string_view name) const {
  const Value* value = find(name);
  return value ? std::optional(number_in(*value)) : std::nullopt;
}
std::optional<Instant> QuickFields::maybe_instant(std::string_view name) const {
  const Value* value = find(name);
  return value ? std::optional(instant_from_ms(number_in(*value))) : std::nullopt;
}
std::optional<Duration> QuickFields::maybe_duration(std::string_view name) const {
  const Value* value = find(name);
  return value ? std::optional(Duration{number_in(*value)}) : std::nullopt;
}

}  // namespace assay::detail
