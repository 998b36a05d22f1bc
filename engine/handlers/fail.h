// fail: always fails, with the payload as its error; told so, for good.
#pragma once

#include "engine/handler.h"

namespace assay::engine::handlers {

Handler fail(bool unrecoverable = false);

}  // namespace assay::engine::handlers
