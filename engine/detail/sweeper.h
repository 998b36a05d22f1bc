// Sweeper: brings the store's flows up to date now and then (engine/flows.h). The workers of a
// store take turns by a record, so that it is done once in that time however many there are.
#pragma once

#include <stop_token>

#include "engine/detail/floor.h"

namespace assay::engine::detail {

// Until it is stopped; returns at once where the driver keeps no records.
void sweep_now_and_then(Floor& floor, Runtime& runtime, const std::stop_token& stop);

}  // namespace assay::engine::detail
