#include "engine/handlers/flaky.h"

#include <fmt/format.h>

namespace assay::engine::handlers {

Handler flaky(std::uint64_t seed, int fails_percent) {
  return [seed, fails_percent](Context& context) -> HandlerResult {
    Random dice = Random(seed).fork(fmt::format("{}/{}", context.job().id, context.run()));
    if (dice.below(100) < static_cast<std::uint64_t>(std::max(fails_percent, 0)))
      return Failure{"bad luck"};
    return Success{};
  };
}

}  // namespace assay::engine::handlers
