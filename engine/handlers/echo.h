// echo: succeeds at once, and hands the payload to whoever listens.
#pragma once

#include <functional>
#include <string>

#include "engine/handler.h"

namespace assay::engine::handlers {

// The listener is called by many tasks at once; null: nobody listens.
Handler echo(std::function<void(const Job&)> listener = nullptr);

}  // namespace assay::engine::handlers
