// What dispatchers do, and what becomes of wake-ups and rows of the outbox, in words.
#pragma once

#include <string>

#include "harness/history/history.h"
#include "harness/plan/detail/wording.h"

namespace assay::detail {

// Empty for what else an engine does.
std::string of_dispatch(const EngineEvent& event, const Wording& words);

}  // namespace assay::detail
