// A flow as people write it, in JSON:
//
//   {"id": "picture-7", "on_failure": "go_on", "flow": PART}
//
// A PART is a step, {"type": "resize", "payload": "large"}, or one of {"chain": [PART, ...]},
// {"group": [PART, ...]} and {"chord": [PART, ...], "then": STEP}. Only `flow` and a step's `type`
// must be there. A step may also have: queue, delay_ms, limit, timeout_ms, priority.
#pragma once

#include <string>

#include "engine/flows.h"

namespace assay::cli::queue {

// A sentence that names the place where it is none. Whether its numbers make sense is not looked
// at.
Result<engine::FlowSubmission> flow_from(std::string_view json);

}  // namespace assay::cli::queue
