// Keeper: sends a heartbeat for each run at a third of its lease, on a session of its own.
// Watch: interrupts handlers at their time limit, and when their lease is over by our clock. It
// makes no call, so that no store, however slow, keeps it from that.
//
// Each is the body of a task, and returns when the floor has ended.
#pragma once

#include "engine/detail/floor.h"

namespace assay::engine::detail {

void keep_leases(Floor& floor);
void watch_time(Floor& floor);

}  // namespace assay::engine::detail
