// The warden as a program of its own, whose bytes are in this one: whoever links the library needs
// nothing beside it.
#pragma once

#include <optional>

#include "harness/remote/detail/warden.h"

namespace assay::detail {

// The process; it is as fork would have left it, but shares no memory with us and copied none.
// Nothing where it cannot be had: a machine that executes no file in memory, or of another kind
// than those that the program was written for; or the orders are too long to go with it.
std::optional<pid_t> spawn_warden(const WardenOrders& orders);

}  // namespace assay::detail
