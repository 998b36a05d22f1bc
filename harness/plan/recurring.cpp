#include "harness/plan/recurring.h"

#include <fmt/format.h>

#include <array>
#include <sstream>

namespace assay {

static constexpr std::array<std::string_view, 3> missed_names{"latest", "skip", "catch_up"};

std::string_view name_of(Recurring::Missed missed) {
  return missed_names[static_cast<std::size_t>(missed)];
}

std::string mark_of_recurring(const std::string& name) { return " recurs:" + name; }

std::string mark_of_order(std::int64_t number) { return fmt::format("{}{}", order_mark, number); }

std::string text_of(const Recurring& recurring) {
  return fmt::format("{} {} {} {} {}", recurring.name, name_of(recurring.missed), recurring.bound,
                     to_ms(recurring.in_time), recurring.cron);
}

std::optional<Recurring> recurring_from(std::string_view text) {
  std::istringstream words{std::string(text)};
  Recurring read;
  std::string missed;
  std::int64_t in_time = 0;
  if (!(words >> read.name >> missed >> read.bound >> in_time)) return std::nullopt;
  std::getline(words >> std::ws, read.cron);
  read.in_time = Duration{in_time};
  for (std::size_t i = 0; i < missed_names.size(); ++i)
    if (missed_names[i] == missed) read.missed = static_cast<Recurring::Missed>(i);
  if (read.cron.empty() || name_of(read.missed) != missed) return std::nullopt;
  return read;
}

}  // namespace assay
