#include "harness/run/detail/store_clock.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::detail {

// Both clocks show whole ticks: one that shows 5 may stand at nearly 6.
Status StoreClock::compare(Driver& driver) {
  constexpr int readings = 5;
  constexpr Duration our_tick{1};
  const Duration its_tick = driver.profile().time_resolution;
  Duration least = Duration::min(), most = Duration::max();
  for (int i = 0; i < readings; ++i) {
    const Instant before = clock_.now();
    const auto shown = driver.now();
    const Instant after = clock_.now();
    if (!shown.ok()) return shown.error();
    if (*shown < Instant{} || *shown > end_of_time)
      return Error{ErrorCode::internal,
                   fmt::format("the store's clock shows {} ms since 1970, which "
                               "is no time of this world",
                               to_ms(*shown))};
    least = std::max(least, *shown - after - our_tick);
    most = std::min(most, *shown + its_tick - before);
  }
  if (!compared_) first_least_ = least, first_most_ = most;
  // Since the beginning: a clock that is a little too fast is far ahead at last.
  const Duration apart = std::max(least - first_most_, first_least_ - most);
  if (least > most || apart > its_tick)
    return Error{ErrorCode::internal,
                 fmt::format("the store's clock and the machine's ran apart by {} ms while a plan "
                             "ran: one that cannot be moved (without virtual_time) must run as a "
                             "real one does",
                             to_ms(std::max(apart, least - most)))};
  least_ = least;
  most_ = most;
  compared_ = true;
  return Done{};
}

}  // namespace assay::detail
