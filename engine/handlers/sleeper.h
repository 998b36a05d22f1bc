// sleeper: waits for as many milliseconds as the payload says, "1500", and succeeds; interrupted,
// it fails at once. A payload that is no such number is unrecoverable.
#pragma once

#include "engine/handler.h"

namespace assay::engine::handlers {

Handler sleeper();

}  // namespace assay::engine::handlers
