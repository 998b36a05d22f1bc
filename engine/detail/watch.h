// Watch: interrupts handlers at their time limit, and when their lease is over by our own clock. It
// makes no call, so that no store, however slow, keeps it from that.
//
// The body of a task; returns when the floor has ended.
#pragma once

#include "engine/detail/floor.h"

namespace assay::engine::detail {

void watch_time(Floor& floor);

}  // namespace assay::engine::detail
