#include "harness/proxy/detail/resp_requests.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace assay::proxy {
namespace {

// The server's own limits.
constexpr std::size_t longest_inline = 64 * 1024;
constexpr std::int64_t most_words = 1024 * 1024;
constexpr std::int64_t longest_word = std::int64_t{1} << 30;
constexpr std::size_t longest_number = 32;
constexpr std::size_t kept_word = 16;

std::string in_capitals(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr char tls_handshake = 0x16;

}  // namespace

void RespRequests::begin(char first) {
  words_ = 0;
  name_.clear();
  second_.clear();
  third_.clear();
  line_.clear();
  has_block_ = past_options_ = false;
  is_tls_ = first == tls_handshake;
  state_ = is_tls_ ? State::broken : first == '*' ? State::count : State::inline_line;
}

// Both kinds of lines end with a newline; a return before it is not part of them.
void RespRequests::take_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::size_t most = state_ == State::inline_line ? longest_inline : longest_number;
  if (line_.size() + end > most) {
    state_ = State::broken;
    return;
  }
  line_.append(bytes.substr(0, end));
  const bool is_ended = end < bytes.size();
  bytes.remove_prefix(is_ended ? end + 1 : end);
  if (!is_ended) return;
  if (line_.ends_with('\r')) line_.pop_back();
  if (state_ == State::count)
    end_count();
  else if (state_ == State::size)
    end_size();
  else
    end_inline();
}

void RespRequests::end_count() {
  const auto count = number_in(std::string_view(line_).substr(1));
  if (!count || *count > most_words) {
    state_ = State::broken;
    return;
  }
  words_left_ = static_cast<std::uint64_t>(std::max<std::int64_t>(*count, 0));
  line_.clear();
  state_ = words_left_ == 0 ? State::whole : State::size;
}

void RespRequests::end_size() {
  const auto size =
      line_.starts_with('$') ? number_in(std::string_view(line_).substr(1)) : std::nullopt;
  if (!size || *size < 0 || *size > longest_word) {
    state_ = State::broken;
    return;
  }
  word_.clear();
  word_size_ = static_cast<std::size_t>(*size);
  body_left_ = word_size_ + 2;
  state_ = State::body;
}

void RespRequests::end_word() {
  note_word(words_++, word_size_ <= kept_word ? in_capitals(word_) : std::string());
  line_.clear();
  state_ = --words_left_ == 0 ? State::whole : State::size;
}

void RespRequests::note_word(std::size_t index, const std::string& word) {
  if (index == 0) name_ = word;
  if (index == 1) second_ = word;
  if (index == 2) third_ = word;
  const bool in_options = (name_ == "XREAD" && index > 0) || (name_ == "XREADGROUP" && index > 3);
  if (!in_options || past_options_) return;
  has_block_ |= word == "BLOCK";
  past_options_ = word == "STREAMS";
}

void RespRequests::end_inline() {
  constexpr std::string_view blanks = " \t";
  std::string_view rest = line_;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (rest.empty()) break;
    const std::string_view word = rest.substr(0, rest.find_first_of(blanks));
    note_word(words_++, word.size() <= kept_word ? in_capitals(word) : std::string());
    rest.remove_prefix(word.size());
  }
  state_ = State::whole;
}

std::size_t RespRequests::take(std::string_view bytes) {
  if (state_ == State::whole) state_ = State::begin;
  const std::size_t given = bytes.size();
  while (!bytes.empty() && state_ != State::whole && state_ != State::broken) {
    if (state_ == State::begin) {
      begin(bytes[0]);
    } else if (state_ == State::body) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, bytes.size()));
      if (word_size_ <= kept_word)
        word_.append(bytes.substr(0, std::min(size, word_size_ - word_.size())));
      bytes.remove_prefix(size);
      body_left_ -= size;
      if (body_left_ == 0) end_word();
    } else {
      take_line(bytes);
    }
  }
  return given - bytes.size();
}

}  // namespace assay::proxy
