// MortalDriver: the driver of a worker that may be gone from one moment on: nothing that it does
// reaches the store any more, as if its process had been killed between two calls.
//
// Thread-safe as a driver is; `die` by anybody.
#pragma once

#include <shared_mutex>

#include "harness/contract/driver.h"

namespace assay::cli::queue {

class MortalDriver final : public Driver {
 public:
  // Borrowed for life.
  explicit MortalDriver(Driver& inner) : inner_(inner) {}

  // Waits for the calls that are under way.
  void die();

  const Profile& profile() const override { return inner_.profile(); }
  Status setup(const Setup& setup) override { return inner_.setup(setup); }
  Status teardown() override { return inner_.teardown(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override;
  Result<Instant> now() override { return inner_.now(); }
  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override;

 private:
  friend class MortalSession;

  Driver& inner_;
  std::shared_mutex mutex_;  // shared by the calls that are under way
  bool is_dead_ = false;
};

}  // namespace assay::cli::queue
