// Cron: the minutes at which something recurs, by the five fields of an old Unix table: minute,
// hour, day of the month, month, day of the week. In UTC, always: no minute is skipped or doubled
// when clocks are changed somewhere.
//
// A field is `*` or a list of values and ranges, either with a step: `*/15`, `1,5-9`, `8-18/2`.
// Months and weekdays have names, too: `JAN`, `MON-FRI`; Sunday is 0 and 7. Where both days are
// given, one of them must fit; where one begins with `*`, both must. `@hourly`, `@daily`,
// `@midnight`, `@weekly`, `@monthly`, `@yearly` and `@annually` stand for what they say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/contract/result.h"
#include "harness/contract/time.h"

namespace assay::engine {

class Cron {
 public:
  // Refused with a sentence that names the field; so is what never fires, such as 30 February.
  static Result<Cron> parse(std::string_view text);

  // The first one later than that; nothing where that would be beyond the end of time.
  std::optional<Instant> next_after(Instant when) const;
  // The last one at that time or before it; nothing where that would be before 1970.
  std::optional<Instant> last_until(Instant when) const;

  bool operator==(const Cron&) const = default;

 private:
  bool fits(std::chrono::sys_days day) const;
  std::optional<std::chrono::sys_days> day_from(std::chrono::sys_days day,
                                                std::chrono::sys_days end) const;

  // Bit n: the value n fits.
  std::uint64_t minutes_ = 0, hours_ = 0, days_ = 0, months_ = 0, weekdays_ = 0;
  bool either_day_ = false;
};

}  // namespace assay::engine
