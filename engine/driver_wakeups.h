// DriverWakeUps: the wake-ups that a driver has itself (harness/contract/wakeups.h), as a worker
// hears them. While its way to the store is lost nothing is heard, and the worker polls.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/wakeups.h"
#include "harness/contract/driver.h"
#include "harness/contract/wakeups.h"

namespace assay::engine {

class DriverWakeUps final : public WakeUps {
 public:
  // Of these queues. Unsupported: the driver has none. The driver and the clock are borrowed for
  // life. Waits go by the machine's time, so this is not for virtual time.
  static Result<std::unique_ptr<DriverWakeUps>> make(Driver& driver,
                                                     const std::vector<std::string>& queues,
                                                     Clock& clock);

  std::optional<WakeUp> wait_until(Instant deadline, std::stop_token stop) override;

 private:
  DriverWakeUps(std::unique_ptr<assay::WakeUps> inner, Clock& clock)
      : inner_(std::move(inner)), clock_(clock) {}

  const std::unique_ptr<assay::WakeUps> inner_;
  Clock& clock_;
};

}  // namespace assay::engine
