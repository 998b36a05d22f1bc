#include "properties/detail/cron_minutes.h"

#include <cctype>
#include <chrono>
#include <map>
#include <sstream>

namespace assay::properties {
namespace {

const std::map<std::string, std::string> short_forms{
    {"@hourly", "0 * * * *"},   {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
    {"@weekly", "0 0 * * 0"},   {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// A number, or a name that stands for `names`' place counted from `first`.
std::optional<int> value_of(const std::string& word, const std::string& names, int first) {
  if (word.empty()) return std::nullopt;
  if (word.find_first_not_of("0123456789") == std::string::npos)
    return word.size() > 4 ? std::nullopt : std::optional(std::stoi(word));
  std::istringstream all(names);
  std::string name;
  for (int at = first; all >> name; ++at)
    if (name == lower(word)) return at;
  return std::nullopt;
}

struct Bounds {
  int low, high;
  std::string names = {};
};

bool add_part(const std::string& part, const Bounds& bounds, bool is_weekday, std::set<int>& to) {
  const std::size_t slash = part.find('/');
  const std::string range = part.substr(0, slash);
  int step = 1, begin = bounds.low, end = bounds.high;
  if (slash != std::string::npos) {
    const auto given = value_of(part.substr(slash + 1), "", 0);
    if (!given || *given < 1 || *given > bounds.high + (is_weekday ? 1 : 0)) return false;
    step = *given;
  }
  if (range != "*") {
    const std::size_t dash = range.find('-');
    if (slash != std::string::npos && dash == std::string::npos) return false;
    const auto from = value_of(range.substr(0, dash), bounds.names, bounds.low);
    auto until = from;
    if (dash != std::string::npos)
      until = value_of(range.substr(dash + 1), bounds.names, bounds.low);
    if (!from || !until) return false;
    begin = *from;
    end = *until;
    // Sunday comes behind Saturday, too.
    if (is_weekday && dash != std::string::npos && end == 0 && begin > 0) end = 7;
    if (begin < bounds.low || end > bounds.high + (is_weekday ? 1 : 0) || end < begin) return false;
  }
  for (int one = begin; one <= end; one += step) to.insert(is_weekday ? one % 7 : one);
  return true;
}

bool read_field(const std::string& text, const Bounds& bounds, bool is_weekday, std::set<int>& to) {
  if (text.empty() || text.back() == ',') return false;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');)
    if (!add_part(part, bounds, is_weekday, to)) return false;
  return !to.empty();
}

}  // namespace

std::optional<CronMinutes> CronMinutes::read(const std::string& text) {
  const auto named = short_forms.find(lower(text));
  std::istringstream words(named == short_forms.end() ? text : named->second);
  std::string minute, hour, day, month, weekday, more;
  if (!(words >> minute >> hour >> day >> month >> weekday) || words >> more) return std::nullopt;
  CronMinutes cron;
  const bool is_good =
      read_field(minute, {0, 59}, false, cron.minutes_) &&
      read_field(hour, {0, 23}, false, cron.hours_) &&
      read_field(day, {1, 31}, false, cron.days_) &&
      read_field(month, {1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"}, false,
                 cron.months_) &&
      read_field(weekday, {0, 6, "sun mon tue wed thu fri sat"}, true, cron.weekdays_);
  if (!is_good) return std::nullopt;
  cron.any_day_ = day.front() == '*';
  cron.any_weekday_ = weekday.front() == '*';
  return cron;
}

bool CronMinutes::fits(Instant minute) const {
  using namespace std::chrono;
  const auto day = floor<days>(minute);
  if (minute != floor<minutes>(minute)) return false;
  const auto of_day = static_cast<int>(duration_cast<minutes>(minute - day).count());
  const year_month_day date(day);
  if (!minutes_.contains(of_day % 60) || !hours_.contains(of_day / 60)) return false;
  if (!months_.contains(static_cast<int>(static_cast<unsigned>(date.month())))) return false;
  const bool by_date = days_.contains(static_cast<int>(static_cast<unsigned>(date.day())));
  // 1970 began on a Thursday.
  const auto since = day.time_since_epoch().count();
  const bool by_weekday = weekdays_.contains(static_cast<int>(((since + 4) % 7 + 7) % 7));
  return any_day_ || any_weekday_ ? by_date && by_weekday : by_date || by_weekday;
}

std::vector<Instant> CronMinutes::between(Instant from, Instant to) const {
  std::vector<Instant> found;
  const auto a_minute = std::chrono::minutes{1};
  for (Instant one = std::chrono::floor<std::chrono::minutes>(from) + a_minute; one <= to;
       one += a_minute)
    if (fits(one)) found.push_back(one);
  return found;
}

}  // namespace assay::properties
