#include "faults/wakeup/detail/spoiling.h"

#include <fmt/format.h>

namespace assay::faults {
namespace {

class SpoiledWakeUps final : public Fault {
 public:
  SpoiledWakeUps(Spoiling how, int percent, Duration within, Surroundings& around)
      : how_(how), percent_(percent), within_(within), around_(around) {}
  ~SpoiledWakeUps() override { static_cast<void>(end()); }

  Status begin() override {
    if (percent_ < 1 || percent_ > 100) return invalid("percent is not between 1 and 100");
    if (within_ < Duration{0}) return invalid("within_ms is negative");
    const auto wakeups = around_.wakeups();
    if (!wakeups.ok()) return wakeups.error();
    wakeups_ = *wakeups;
    number_ = wakeups_->spoil(how_, percent_, within_);
    return Done{};
  }

  Result<std::string> proof() override {
    const std::uint64_t struck = wakeups_ ? wakeups_->struck(number_) : 0;
    if (struck == 0) return met_nobody("no message was on its way that it could have struck");
    return fmt::format("{} message{} {} {}", struck, struck == 1 ? "" : "s",
                       struck == 1 ? "was" : "were",
                       how_ == Spoiling::shown_again ? "shown again" : name_of(how_));
  }

  Status end() override {
    if (wakeups_) wakeups_->spare(number_);
    return Done{};
  }

 private:
  const Spoiling how_;
  const int percent_;
  const Duration within_;
  Surroundings& around_;
  WakeUpTrouble* wakeups_ = nullptr;
  int number_ = 0;
};

}  // namespace

FaultInfo spoiled_wakeups(std::string_view name, std::string_view summary) {
  FaultInfo info;
  info.name = name;
  info.family = "wakeup";
  info.summary = summary;
  info.with = {{"percent", 50}};
  info.needs = "wakeups";
  info.of_all = true;
  info.drawn_from = std::nullopt;  // with clients alone nobody announces
  return info;
}

std::unique_ptr<Fault> spoil_wakeups(Spoiling how, int percent, Duration within,
                                     Surroundings& around) {
  return std::make_unique<SpoiledWakeUps>(how, percent, within, around);
}

}  // namespace assay::faults
