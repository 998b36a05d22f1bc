#include "harness/proxy/detail/resp_replies.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace assay::proxy {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t kept_text = 24;
constexpr std::size_t longest_number = 32;
constexpr std::int64_t largest = std::int64_t{1} << 40;

bool carries_number(char type) {
  switch (type) {
    case '$':
    case '=':
    case '!':
    case '*':
    case '~':
    case '>':
    case '%':
    case '|':
    case ';':
    case ':':
      return true;
    default:
      return false;
  }
}

std::optional<std::int64_t> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool RespReplies::is_first() const {
  if (saw_first_) return false;
  if (levels_.empty()) return true;
  return levels_.size() == 1 && !levels_[0].is_attribute && !levels_[0].is_text;
}

void RespReplies::begin_line(char type) {
  const bool in_chunks = !levels_.empty() && levels_.back().is_text;
  if (in_chunks != (type == ';')) return fail();
  if (!carries_number(type) && std::string_view("+-_#,(.").find(type) == std::string_view::npos)
    return fail();
  if (levels_.empty()) {
    type_ = type;
    text_.clear();
    saw_first_ = false;
    last_number_ = 0;
  }
  line_type_ = type;
  line_.clear();
  after_return_ = false;
  keeps_text_ = (type == '+' || type == '-') && is_first();
  state_ = carries_number(type) ? State::line : State::text;
}

void RespReplies::begin_body(std::int64_t size) {
  keeps_text_ = is_first() && line_type_ != ';';
  body_left_ = static_cast<std::uint64_t>(size) + 2;
  state_ = State::body;
}

void RespReplies::begin_aggregate(std::int64_t count) {
  const bool is_attribute = line_type_ == '|';
  if (count > 0 && (line_type_ == '%' || is_attribute)) count *= 2;
  if (levels_.size() == deepest) return fail();
  if (!levels_.empty()) saw_first_ = true;
  state_ = State::type;
  if (count != 0)
    levels_.push_back({count, is_attribute, false});
  else if (!is_attribute)
    end_value();
}

void RespReplies::end_streamed(bool is_text) {
  if (levels_.empty() || levels_.back().left >= 0 || levels_.back().is_text != is_text)
    return fail();
  const bool is_attribute = levels_.back().is_attribute;
  levels_.pop_back();
  state_ = State::type;
  if (!is_attribute) end_value();
}

void RespReplies::end_line() {
  const bool is_streamed = line_ == "?";
  if (line_type_ == '.') return end_streamed(false);
  if (!carries_number(line_type_)) return end_value();
  if (is_streamed && line_type_ == '$') {
    levels_.push_back({-1, false, true});
    state_ = State::type;
    return levels_.size() > deepest ? fail() : void();
  }
  if (is_streamed && std::string_view("*~>%|").find(line_type_) != std::string_view::npos)
    return begin_aggregate(-1);
  const auto number = number_in(line_);
  if (!number) return fail();
  if (line_type_ == ':') {
    if (levels_.size() == 1) last_number_ = *number;
    return end_value();
  }
  if (*number < -1 || *number > largest) return fail();
  if (line_type_ == ';') {
    if (*number < 0) return fail();
    return *number == 0 ? end_streamed(true) : begin_body(*number);
  }
  const bool is_text = line_type_ == '$' || line_type_ == '=' || line_type_ == '!';
  if (*number < 0) return line_type_ == '$' || line_type_ == '*' ? end_value() : fail();
  is_text ? begin_body(*number) : begin_aggregate(*number);
}

// An aggregate ends with its last element, and is one itself; an attribute stands before one.
void RespReplies::end_value() {
  saw_first_ = true;
  state_ = State::type;
  for (;;) {
    if (levels_.empty()) {
      state_ = State::whole;
      return;
    }
    Level& level = levels_.back();
    if (level.left < 0 || --level.left > 0) return;
    const bool is_attribute = level.is_attribute;
    levels_.pop_back();
    if (is_attribute) return;
  }
}

// A return that no line end follows belongs to the line.
void RespReplies::take_line(std::string_view text) {
  if (text.empty()) return;
  if (after_return_) keep("\r");
  after_return_ = text.back() == '\r';
  if (after_return_) text.remove_suffix(1);
  keep(text);
}

void RespReplies::keep(std::string_view text) {
  if (keeps_text_) text_.append(text.substr(0, kept_text - text_.size()));
  if (state_ != State::line) return;
  if (line_.size() + text.size() > longest_number) return fail();
  line_.append(text);
}

std::size_t RespReplies::take(std::string_view bytes) {
  if (state_ == State::whole) state_ = State::type;
  std::size_t at = 0;
  while (at < bytes.size() && state_ != State::whole && state_ != State::broken) {
    switch (state_) {
      case State::type:
        begin_line(bytes[at++]);
        break;
      case State::line:
      case State::text: {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
        take_line(bytes.substr(at, end - at));
        at = std::min(end + 1, bytes.size());
        if (end == bytes.size() || state_ == State::broken) break;
        after_return_ ? end_line() : fail();
        break;
      }
      case State::body: {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, bytes.size() - at));
        if (keeps_text_ && body_left_ > 2) {
          const auto most =
              std::min<std::uint64_t>({size, body_left_ - 2, kept_text - text_.size()});
          text_.append(bytes.substr(at, static_cast<std::size_t>(most)));
        }
        at += size;
        body_left_ -= size;
        if (body_left_ > 0) break;
        if (line_type_ == ';')
          state_ = State::type;
        else
          end_value();
        break;
      }
      default:
        fail();
    }
  }
  return at;
}

}  // namespace assay::proxy
