#include "engine/handlers/fail.h"

namespace assay::engine::handlers {

Handler fail(bool unrecoverable) {
  return [unrecoverable](Context& context) -> HandlerResult {
    const std::string& payload = context.job().payload;
    return Failure{payload.empty() ? "it always fails" : payload, unrecoverable};
  };
}

}  // namespace assay::engine::handlers
