#include "harness/run/store_clock.h"

#include <optional>

#include "harness/contract/wakeups.h"

namespace assay {
namespace {

class ClockedDriver final : public Driver {
 public:
  ClockedDriver(std::unique_ptr<Driver> driver, std::shared_ptr<StoreClock> clock)
      : driver_(std::move(driver)), clock_(std::move(clock)), profile_(driver_->profile()) {
    profile_.capabilities.insert("virtual_time");
  }

  const Profile& profile() const override { return profile_; }

  // Each namespace begins at the same instant: two runs of a plan are alike.
  Status setup(const Setup& setup) override {
    if (Status stands = move_to(run_epoch); !stands.ok()) return stands;
    return driver_->setup(setup);
  }

  Status teardown() override { return driver_->teardown(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override {
    return driver_->open(spec);
  }
  Result<Instant> now() override { return driver_->now(); }

  Result<Instant> advance(Duration by) override {
    if (Status moved = move_to(now_ + by); !moved.ok()) return moved.error();
    return driver_->now();
  }

  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override {
    return driver_->wakeups(queues);
  }

  Status health() override { return driver_->health(); }
  Status reopen() override { return driver_->reopen(); }
  Status end() override { return driver_->end(); }

 private:
  Status move_to(Instant at) {
    now_ = at;
    if (!clock_->set) return unavailable("the store's clock is not there to be moved");
    return clock_->set(at);
  }
  static Error unavailable(std::string message) {
    return {ErrorCode::unavailable, std::move(message), LeaseReason::unstated, true};
  }

  const std::unique_ptr<Driver> driver_;
  const std::shared_ptr<StoreClock> clock_;  // shared with whoever starts the store
  Profile profile_;
  Instant now_ = run_epoch;
};

}  // namespace

DriverInfo on_store_clock(DriverInfo info, std::shared_ptr<StoreClock> clock) {
  // What it claimed when it was first made, and must be told again: it knows nothing of what we
  // add.
  auto claimed = std::make_shared<std::optional<Profile>>();
  info.make = [make = std::move(info.make), clock = std::move(clock),
               claimed](const DriverOptions& options) -> Result<std::unique_ptr<Driver>> {
    DriverOptions told = options;
    Profile with_ours = claimed->value_or(Profile{});
    with_ours.capabilities.insert("virtual_time");
    if (*claimed && options.profile == with_ours) told.profile = **claimed;
    auto made = make(told);
    if (!made.ok() || !*made) return made;
    if (!*claimed) *claimed = (*made)->profile();
    if ((*made)->profile().clock == ClockKnob::caller) return made;
    return std::unique_ptr<Driver>(std::make_unique<ClockedDriver>(std::move(*made), clock));
  };
  return info;
}

}  // namespace assay
