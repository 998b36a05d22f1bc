// on_store_clock: a driver that lives by the clock of a store which we move ourselves, whatever it
// can do with clocks. So a driver that knows nothing of virtual time has it.
//
// One driver of it may run at a time: they share the clock.
#pragma once

#include <functional>
#include <memory>

#include "harness/contract/driver.h"

namespace assay {

// The clock of a store that may not be started yet. Not thread-safe.
struct StoreClock {
  std::function<Status(Instant)> set;  // empty: there is no store yet, and nothing to be moved
};

// Drivers that live by the caller's clock are left as they are. All others claim virtual_time.
DriverInfo on_store_clock(DriverInfo info, std::shared_ptr<StoreClock> clock);

}  // namespace assay
