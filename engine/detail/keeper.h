// Keeper: sends a heartbeat for each run at a third of its lease, on a session of its own.
//
// The body of a task; returns when the floor has ended.
#pragma once

#include "engine/detail/floor.h"

namespace assay::engine::detail {

void keep_leases(Floor& floor);

}  // namespace assay::engine::detail
