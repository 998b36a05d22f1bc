// act_out: what the handler of a scripted job does (harness/plan/script.h), and says of it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "harness/history/history.h"
#include "harness/plan/script.h"
#include "harness/run/engine.h"

namespace assay::detail {

// How it ends, told first; throws where that is what it does.
ActResult end_of(const Act& what, const std::function<void(std::string)>& ends_as);

// Of a script without outputs and events. `killed`: its worker is dead, nothing more becomes of it.
// Throws where that is what it does.
ActResult act_out(const Act& what, const Errand& errand, const std::stop_token& killed,
                  const std::function<void(EngineEvent::Kind, std::string)>& say);

}  // namespace assay::detail
