#include "engine/handlers/echo.h"

namespace assay::engine::handlers {

Handler echo(std::function<void(const Job&)> listener) {
  return [listener = std::move(listener)](Context& context) -> HandlerResult {
    if (listener) listener(context.job());
    return Success{};
  };
}

}  // namespace assay::engine::handlers
