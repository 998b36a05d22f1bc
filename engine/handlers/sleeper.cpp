#include "engine/handlers/sleeper.h"

#include <charconv>

namespace assay::engine::handlers {

static std::optional<Duration> length_of(const std::string& payload) {
  std::int64_t ms = 0;
  const char* const end = payload.data() + payload.size();
  const auto [rest, error] = std::from_chars(payload.data(), end, ms);
  if (error != std::errc{} || rest != end || ms < 0) return std::nullopt;
  return Duration{ms};
}

Handler sleeper() {
  return [](Context& context) -> HandlerResult {
    const auto length = length_of(context.job().payload);
    if (!length) return Failure{"the payload is no number of milliseconds", true};
    context.clock().sleep_until(later(context.clock().now(), *length), context.stop());
    if (context.stop().stop_requested()) return Failure{"interrupted"};
    return Success{};
  };
}

}  // namespace assay::engine::handlers
