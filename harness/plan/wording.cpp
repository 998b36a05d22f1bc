#include "harness/plan/detail/wording.h"

#include <fmt/format.h>

#include "harness/contract/detail/json_writer.h"

namespace assay::detail {

static constexpr std::size_t quoted_max = 60;

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

}  // namespace assay::detail
