// Steward: runs the engine's own jobs, which do what a flow needs and no single commit can hold:
// to enqueue many steps, and to count many that will not run any more.
#pragma once

#include "engine/detail/desk.h"

namespace assay::engine::detail {

// The body of a run of the type `steward_type`.
HandlerResult run_errand(Desk& desk);

}  // namespace assay::engine::detail
