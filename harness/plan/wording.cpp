#include "harness/plan/detail/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/contract/detail/json_writer.h"

namespace assay::detail {

static constexpr std::size_t quoted_max = 60;
static constexpr std::size_t cut_min = 16;  // what is shorter is not cut short

std::string quoted(std::string_view text) {
  const bool readable = is_utf8(text);
  std::string_view shown = text.substr(0, quoted_max);
  while (readable && shown.size() < text.size() && !shown.empty() && !is_utf8(shown))
    shown.remove_suffix(1);
  std::string out = "\"";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !readable))
      out += fmt::format("\\x{:02x}", byte);
    else if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  out += '"';
  if (shown.size() < text.size()) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

std::string person(std::string_view name) {
  std::string text = quoted(name);
  const bool bare =
      !name.empty() && text.size() == name.size() + 2 && name.find(' ') == std::string_view::npos;
  return bare ? std::string(name) : text;
}

static std::string seconds(std::int64_t ms) {
  const std::uint64_t size = ms < 0 ? -static_cast<std::uint64_t>(ms) : ms;
  return fmt::format("{}.{:03} s", size / 1000, size % 1000);
}

std::string length(Duration duration) {
  const std::int64_t ms = duration.count();
  if (ms % 1000 == 0) return fmt::format("{} s", ms / 1000);
  return (ms < 0 ? "-" : "") + seconds(ms);
}

std::string Wording::at(Instant when) const {
  std::int64_t since = 0;
  if (__builtin_sub_overflow(to_ms(when), to_ms(start_), &since))
    return when > start_ ? "the end of time" : "before all time";
  return (since < 0 ? "-" : "+") + seconds(since);
}

// A to Z, then AA, AB, ...
static std::string letters(std::size_t index) {
  std::string name;
  for (++index; index > 0; index = (index - 1) / 26)
    name.insert(name.begin(), static_cast<char>('A' + (index - 1) % 26));
  return name;
}

std::string Wording::shown_job(const JobId& id) {
  const auto [entry, first] = jobs_.emplace(id, letters(jobs_.size()));
  return first ? fmt::format("job {} ({})", entry->second, quoted(id)) : "job " + entry->second;
}

std::string Wording::shown_token(const Token& token) {
  const auto [entry, first] = tokens_.emplace(token, fmt::format("T{}", tokens_.size() + 1));
  return first ? fmt::format("token {} ({})", entry->second, quoted(token))
               : "token " + entry->second;
}

std::string Wording::named_job(const JobId& id) const {
  const auto found = jobs_.find(id);
  return "job " + (found == jobs_.end() ? quoted(id) : found->second);
}

std::string Wording::named_token(const Token& token) const {
  const auto found = tokens_.find(token);
  return found == tokens_.end() ? "the made-up token " + quoted(token) : "token " + found->second;
}

static bool ends_word(std::string_view rest) {
  if (rest.empty()) return true;
  const auto next = static_cast<unsigned char>(rest.front());
  return !std::isalnum(next) && next != '_' && next != '-' && next < 0x80;
}

// How much of `rest` spells the text out; nothing where it is another one.
static std::size_t spelt(std::string_view rest, std::string_view text) {
  if (text.empty()) return 0;
  if (rest.starts_with(text)) return ends_word(rest.substr(text.size())) ? text.size() : 0;
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(rest, text).in1 - rest.begin());
  const bool cut = same >= cut_min && rest.substr(same).starts_with("...");
  return cut ? same + 3 : 0;
}

struct Spelling {
  std::size_t length = 0;
  std::string_view name;
};

// The longest that fits, and none where two that were cut short look alike.
static Spelling spelling(std::string_view rest, const std::map<std::string, std::string>& names) {
  Spelling best;
  for (const auto& [text, name] : names) {
    const std::size_t length = spelt(rest, text);
    if (length > best.length)
      best = {length, name};
    else if (length != 0 && length == best.length)
      best.name = {};
  }
  return best.name.empty() ? Spelling{} : best;
}

std::string Wording::renamed(std::string_view sentences) const {
  constexpr std::string_view job = "job ";
  constexpr std::string_view token = "token ";
  std::string out;
  while (!sentences.empty()) {
    const bool begins = out.empty() || !std::isalnum(static_cast<unsigned char>(out.back()));
    const bool of_job = begins && sentences.starts_with(job);
    const bool of_token = begins && sentences.starts_with(token);
    const std::string_view noun = of_job ? job : token;
    const Spelling found = of_job || of_token
                               ? spelling(sentences.substr(noun.size()), of_job ? jobs_ : tokens_)
                               : Spelling{};
    if (found.length == 0) {
      out += sentences.front();
      sentences.remove_prefix(1);
      continue;
    }
    out.append(noun).append(found.name);
    sentences.remove_prefix(noun.size() + found.length);
  }
  return out;
}

}  // namespace assay::detail
