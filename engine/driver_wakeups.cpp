#include "engine/driver_wakeups.h"

#include <algorithm>

namespace assay::engine {

Result<std::unique_ptr<DriverWakeUps>> DriverWakeUps::make(Driver& driver,
                                                           const std::vector<std::string>& queues,
                                                           Clock& clock) {
  auto inner = driver.wakeups(queues);
  if (!inner.ok()) return inner.error();
  return std::unique_ptr<DriverWakeUps>(new DriverWakeUps(std::move(*inner), clock));
}

std::optional<WakeUp> DriverWakeUps::wait_until(Instant deadline, std::stop_token stop) {
  const Duration left = std::max(Duration{0}, deadline - clock_.now());
  auto heard = inner_->wait(left, std::move(stop));
  if (!heard.ok() || !*heard) return std::nullopt;
  return WakeUp{std::move((*heard)->job_id), std::move((*heard)->queue)};
}

}  // namespace assay::engine
