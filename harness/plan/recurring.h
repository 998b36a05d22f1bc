// Recurring: a schedule of an engine's plan, as text: "NAME MISSED BOUND IN_TIME CRON", such as
// "hourly catch_up 5 60000 0 * * * *".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/contract/time.h"

namespace assay {

struct Recurring {
  enum class Missed { latest, skip, catch_up };

  std::string name = {};           // without a blank
  Missed missed = Missed::latest;  // what becomes of windows that nobody saw in time
  std::int64_t bound = 10;         // catch_up: so many of them
  Duration in_time{60'000};        // a window that is fired by then was not missed
  std::string cron = {};           // five fields, in UTC
  bool operator==(const Recurring&) const = default;
};

std::string text_of(const Recurring& recurring);
// Nothing where it is no such text. The cron expression is not looked at.
std::optional<Recurring> recurring_from(std::string_view text);
std::string_view name_of(Recurring::Missed missed);
// What the payloads of its jobs end with, so that they are known whatever their ids are.
std::string mark_of_recurring(const std::string& name);

// And those of what callers hand in.
inline constexpr std::string_view order_mark = " order:";
std::string mark_of_order(std::int64_t number);

}  // namespace assay
