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
    least = std::max(least, *shown - after - our_tick);
    most = std::min(most, *shown + its_tick - before);
  }
  const bool apart = compared_ && (least > most_ + its_tick || most < least_ - its_tick);
  if (least > most || apart)
    return Error{ErrorCode::internal,
                 fmt::format("the store's clock and the machine's ran apart by {} ms while a plan "
                             "ran: one that cannot be moved (without virtual_time) must neither "
                             "stand still nor be set",
                             to_ms(apart ? std::max(least - most_, least_ - most) : least - most))};
  least_ = least;
  most_ = most;
  compared_ = true;
  return Done{};
}

}  // namespace assay::detail
