#include "engine/cron.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

namespace assay::engine {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

struct Field {
  std::string_view name;
  int lowest, highest;
  std::span<const std::string_view> names;  // of the lowest value, and so on
};

constexpr std::array<std::string_view, 12> month_names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                       "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> weekday_names{"SUN", "MON", "TUE", "WED",
                                                        "THU", "FRI", "SAT"};
constexpr std::array<Field, 5> fields{{{"minute", 0, 59, {}},
                                       {"hour", 0, 23, {}},
                                       {"day-of-month", 1, 31, {}},
                                       {"month", 1, 12, month_names},
                                       {"day-of-week", 0, 7, weekday_names}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> shorthands{
    {{"@yearly", "0 0 1 1 *"},
     {"@annually", "0 0 1 1 *"},
     {"@monthly", "0 0 1 * *"},
     {"@weekly", "0 0 * * 0"},
     {"@daily", "0 0 * * *"},
     {"@midnight", "0 0 * * *"},
     {"@hourly", "0 * * * *"}}};

constexpr std::size_t longest_text = 256;

// For sentences: whatever it holds, short and printable.
std::string quoted(std::string_view text) {
  std::string shown = "'";
  for (const char c : text.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > 40 ? "...'" : "'");
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

std::vector<std::string_view> split(std::string_view text, std::string_view at, bool keep_empty) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(at, begin), text.size());
    if (keep_empty || end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Reads one field; `problem` says what is wrong with it.
class Reader {
 public:
  Reader(const Field& field, std::string_view text) : field_(field), text_(text) {}

  std::optional<std::uint64_t> read() {
    std::uint64_t bits = 0;
    for (const std::string_view part : split(text_, ",", true)) {
      const auto more = read_part(part);
      if (!more) return std::nullopt;
      bits |= *more;
    }
    // Sunday has two numbers.
    if (field_.highest == 7 && (bits & (1U << 7U))) bits = (bits | 1U) & 0x7FU;
    return bits;
  }
  Error problem() const {
    return invalid(fmt::format("the {} field, {}: {}", field_.name, quoted(text_), problem_));
  }

 private:
  std::optional<std::uint64_t> read_part(std::string_view part) {
    if (part.empty()) return fails("a value is missing");
    const std::size_t slash = part.find('/');
    const std::string_view range = part.substr(0, slash);
    int first = field_.lowest, last = field_.highest, step = 1;
    if (range != "*" && !read_range(range, first, last)) return std::nullopt;
    if (slash != part.npos) {
      if (range != "*" && range.find('-') == range.npos)
        return fails("a step needs a range or * before it, as in 10-59/5");
      const auto read = number(part.substr(slash + 1));
      if (!read || *read < 1 || *read > field_.highest)
        return fails(fmt::format("the step {} is not between 1 and {}",
                                 quoted(part.substr(slash + 1)), field_.highest));
      step = *read;
    }
    // `*` of the weekdays must not fit Sunday by both its numbers: every second one is not.
    if (range == "*" && field_.highest == 7) last = 6;
    std::uint64_t bits = 0;
    for (int value = first; value <= last; value += step) bits |= std::uint64_t{1} << value;
    return bits;
  }

  bool read_range(std::string_view range, int& first, int& last) {
    const std::size_t dash = range.find('-');
    const auto begin = value(range.substr(0, dash));
    if (!begin) return false;
    auto end = begin;
    if (dash != range.npos) end = value(range.substr(dash + 1));
    if (!end) return false;
    // From FRI to SUN, say.
    if (field_.highest == 7 && *end == 0 && *begin > 0) end = 7;
    first = *begin;
    last = *end;
    if (first <= last) return true;
    problem_ = fmt::format("the range {} ends before it begins", quoted(range));
    return false;
  }

  std::optional<int> value(std::string_view text) {
    const auto named = std::ranges::find(field_.names, upper(text));
    if (named != field_.names.end())
      return field_.lowest + static_cast<int>(named - field_.names.begin());
    const auto read = number(text);
    if (!read || *read < field_.lowest || *read > field_.highest) {
      problem_ = fmt::format("{} is not between {} and {}{}", quoted(text), field_.lowest,
                             field_.highest, field_.names.empty() ? "" : ", and no name");
      return std::nullopt;
    }
    return *read;
  }

  static std::optional<int> number(std::string_view text) {
    int value = 0;
    if (text.empty() || text.size() > 4 || text.find_first_not_of("0123456789") != text.npos)
      return std::nullopt;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  std::nullopt_t fails(std::string why) {
    problem_ = std::move(why);
    return std::nullopt;
  }

  const Field& field_;
  const std::string_view text_;
  std::string problem_;
};

bool has(std::uint64_t bits, unsigned value) { return (bits >> value) & 1U; }

std::optional<Instant> moment(sys_days day, int minute_of_day) {
  return Instant(day) + std::chrono::minutes(minute_of_day);
}

constexpr int minutes_a_day = 24 * 60;
// After so many the calendar is the same again.
constexpr days whole_cycle{146'097};

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  if (text.size() > longest_text)
    return invalid(
        fmt::format("the cron expression has {} bytes, {} are allowed", text.size(), longest_text));
  if (!text.empty() && text.front() == '@') {
    const auto found = std::ranges::find_if(
        shorthands, [&](const auto& one) { return upper(one.first) == upper(text); });
    if (found == shorthands.end()) return invalid("there is no shorthand " + quoted(text));
    text = found->second;
  }
  const auto parts = split(text, " \t", false);
  if (parts.size() != fields.size())
    return invalid(
        fmt::format("a cron expression has five fields, minute to day of the week; {} "
                    "has {}",
                    quoted(text), parts.size()));
  Cron cron;
  const std::array<std::uint64_t*, 5> bits{&cron.minutes_, &cron.hours_, &cron.days_, &cron.months_,
                                           &cron.weekdays_};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Reader reader(fields[i], parts[i]);
    const auto read = reader.read();
    if (!read) return reader.problem();
    *bits[i] = *read;
  }
  cron.either_day_ = parts[2].front() != '*' && parts[4].front() != '*';
  const sys_days begin = std::chrono::floor<days>(run_epoch);
  if (!cron.day_from(begin, begin + whole_cycle))
    return invalid(
        fmt::format("the day-of-month field, {}: no month of the month field, {}, has "
                    "such a day, so it would never fire",
                    quoted(parts[2]), quoted(parts[3])));
  return cron;
}

bool Cron::fits(sys_days day) const {
  const std::chrono::year_month_day date(day);
  if (!has(months_, static_cast<unsigned>(date.month()))) return false;
  const bool by_date = has(days_, static_cast<unsigned>(date.day()));
  const bool by_weekday = has(weekdays_, std::chrono::weekday(day).c_encoding());
  return either_day_ ? by_date || by_weekday : by_date && by_weekday;
}

std::optional<sys_days> Cron::day_from(sys_days day, sys_days end) const {
  while (day < end) {
    if (fits(day)) return day;
    const std::chrono::year_month_day date(day);
    if (has(months_, static_cast<unsigned>(date.month())))
      day += days{1};
    else
      day = sys_days((date.year() / date.month() / 1) + std::chrono::months{1});
  }
  return std::nullopt;
}

std::optional<Instant> Cron::next_after(Instant when) const {
  // Before 1970 there is nothing to be asked for.
  when = std::max(when, Instant{} - Duration{1});
  if (when >= end_of_time) return std::nullopt;
  const Instant from = std::chrono::floor<std::chrono::minutes>(when) + std::chrono::minutes{1};
  const sys_days end = std::chrono::ceil<days>(end_of_time);
  const sys_days first = std::chrono::floor<days>(from);
  int minute = static_cast<int>((from - first) / std::chrono::minutes{1});
  for (auto day = day_from(first, end); day; day = day_from(*day + days{1}, end)) {
    if (*day != first) minute = 0;
    for (; minute < minutes_a_day; ++minute)
      if (has(hours_, static_cast<unsigned>(minute / 60)) &&
          has(minutes_, static_cast<unsigned>(minute % 60)))
        return moment(*day, minute);
  }
  return std::nullopt;
}

std::optional<Instant> Cron::last_until(Instant when) const {
  when = std::min(when, end_of_time);
  const sys_days last = std::chrono::floor<days>(when);
  int minute = static_cast<int>((when - last) / std::chrono::minutes{1});
  for (sys_days day = last; day >= sys_days{}; day -= days{1}) {
    if (day != last) minute = minutes_a_day - 1;
    if (!fits(day)) continue;
    for (; minute >= 0; --minute)
      if (has(hours_, static_cast<unsigned>(minute / 60)) &&
          has(minutes_, static_cast<unsigned>(minute % 60)))
        return moment(day, minute);
  }
  return std::nullopt;
}

}  // namespace assay::engine
