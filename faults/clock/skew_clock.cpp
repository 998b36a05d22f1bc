// skew_clock: a client's clock is fast or slow, or goes too fast or too slowly, where calls bring
// their own clock.
#include <fmt/format.h>

#include "faults/all.h"

namespace assay::faults {
namespace {

class SkewClock final : public Fault {
 public:
  SkewClock(Duration offset, std::int64_t drift_ppm, int client, Surroundings& around)
      : offset_(offset), drift_ppm_(drift_ppm), client_(client), around_(around) {}
  ~SkewClock() override { static_cast<void>(end()); }

  Status begin() override {
    is_on_ = true;
    return around_.skew(client_, offset_, static_cast<double>(drift_ppm_) / 1e6);
  }

  // The call itself carries the wrong time, and the store has nothing else.
  Result<std::string> proof() override {
    if (around_.skewed_calls(client_) == 0)
      return met_nobody("the client made no call while its clock was wrong");
    return fmt::format("the store was told a time that is off by {} ms{}", offset_.count(),
                       drift_ppm_ == 0 ? "" : fmt::format(" and drifts by {} ppm", drift_ppm_));
  }

  Status end() override {
    if (!std::exchange(is_on_, false)) return Done{};
    return around_.skew(client_, Duration{0}, 0);
  }

 private:
  const Duration offset_;
  const std::int64_t drift_ppm_;
  const int client_;
  Surroundings& around_;
  bool is_on_ = false;
};

}  // namespace

FaultInfo skew_clock() {
  return {.name = "skew_clock",
          .family = "clock",
          .summary = "a client's clock is fast or slow, or goes too fast or too slowly",
          .effect = FaultEffect::clock_wrong,
          .with = {{"offset_ms", 5'000}, {"drift_ppm", 0}},
          .needs = "clock=caller",
          .make = [](const FaultSpec& spec, int client,
                     Surroundings& around) -> std::unique_ptr<Fault> {
            const FaultInfo info = skew_clock();
            return std::make_unique<SkewClock>(Duration{number_of(info, spec, "offset_ms")},
                                               number_of(info, spec, "drift_ppm"), client, around);
          }};
}

}  // namespace assay::faults
