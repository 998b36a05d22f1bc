// wrong_machine_clock: the machine that a client runs on has a wrong clock, or one that goes too
// fast or too slowly: its process lives by a clock of its own, preloaded. What calls say of the
// time, and what the store's clock shows, stays as it is.
#include <fmt/format.h>

#include "faults/all.h"
#include "harness/clock/process_clock.h"

namespace assay::faults {
namespace {

class WrongMachineClock final : public Fault {
 public:
  WrongMachineClock(Duration offset, std::int64_t drift_ppm, int client, Surroundings& around)
      : offset_(offset), drift_ppm_(drift_ppm), client_(client), around_(around) {}
  ~WrongMachineClock() override { static_cast<void>(end()); }

  Status begin() override {
    const auto clock = around_.clock_of(client_);
    if (!clock.ok()) return clock.error();
    clock_ = *clock;
    return clock_->skew(offset_, 1 + static_cast<double>(drift_ppm_) / 1e6);
  }

  Result<std::string> proof() override {
    const auto process = around_.process_of(client_);
    if (!process.ok()) return process.error();
    if (const Status is = clock_->is_in((*process)->pid()); !is.ok()) return is.error();
    const std::string drift =
        drift_ppm_ == 0 ? "" : fmt::format(" and drifts by {} ppm", drift_ppm_);
    const std::string source = clock_->source();
    return fmt::format("its process reads a clock that is off by {} ms{}{}", offset_.count(), drift,
                       source.empty() ? "" : fmt::format(" ({}'s)", source));
  }

  Status end() override {
    if (clock_) std::exchange(clock_, nullptr)->follow_machine();
    return Done{};
  }

 private:
  const Duration offset_;
  const std::int64_t drift_ppm_;
  const int client_;
  Surroundings& around_;
  ProcessClock* clock_ = nullptr;
};

}  // namespace

FaultInfo wrong_machine_clock() {
  return {.name = "wrong_machine_clock",
          .family = "clock",
          .summary = "the machine that a client's process runs on has a wrong clock",
          .with = {{"offset_ms", 3'600'000}, {"drift_ppm", 0}},
          .needs = "shared_storage",
          .needs_process_clock = true,
          .make = [](const FaultSpec& spec, int client,
                     Surroundings& around) -> std::unique_ptr<Fault> {
            const FaultInfo info = wrong_machine_clock();
            return std::make_unique<WrongMachineClock>(Duration{number_of(info, spec, "offset_ms")},
                                                       number_of(info, spec, "drift_ppm"), client,
                                                       around);
          }};
}

}  // namespace assay::faults
