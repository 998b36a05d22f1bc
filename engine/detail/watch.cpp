#include "engine/detail/watch.h"

#include <algorithm>

namespace assay::engine::detail {

void watch_time(Floor& floor) {
  Held held(*floor.monitor);
  while (!floor.has_ended) {
    const Instant now = floor.now();
    std::vector<std::stop_source> to_stop;
    std::optional<Instant> next;
    const auto is_over = [&](const std::optional<Instant>& when) {
      if (!when || *when <= now) return when.has_value();
      next = next ? std::min(*next, *when) : *when;
      return false;
    };
    for (const auto& run : floor.runs) {
      if (run->stage == Stage::settling || run->is_lost) continue;
      if (is_over(run->expires_at))
        floor.lose(*run, "it is over, and no heartbeat was answered", Interruption::lease_lost,
                   to_stop);
      else if (run->why == Interruption::none && is_over(run->time_limit))
        floor.interrupt(*run, Interruption::timed_out, to_stop);
    }
    if (to_stop.empty()) {
      floor.monitor->wait_until(next);
    } else {
      held.unlock();
      request(to_stop);
      held.lock();
    }
  }
}

}  // namespace assay::engine::detail
