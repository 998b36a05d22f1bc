// step_store_clock: the clock that the store lives by is set, forwards or backwards, as a time
// daemon or an operator does it; at its end it is set back by as much. What happens meanwhile
// happens at the times that the store then reads.
#include <fmt/format.h>

#include <cstdlib>

#include "faults/all.h"

namespace assay::faults {
namespace {

class StepStoreClock final : public Fault {
 public:
  StepStoreClock(Duration by, Surroundings& around) : by_(by), around_(around) {}
  ~StepStoreClock() override { static_cast<void>(end()); }

  Status begin() override {
    const auto before = around_.store_time();
    if (!before.ok()) return before.error();
    if (const Status stepped = around_.step_store_clock(by_); !stepped.ok()) return stepped;
    is_on_ = true;
    const auto after = around_.store_time();
    if (!after.ok()) return after.error();
    read_ = *after - *before;
    return Done{};
  }

  Result<std::string> proof() override {
    if (read_ != by_)
      return Error{ErrorCode::unavailable,
                   fmt::format("the store's clock was to be set by {} ms, and reads {} ms more",
                               by_.count(), read_.count())};
    return fmt::format("the store reads a time that is {} ms {}", std::abs(by_.count()),
                       by_.count() < 0 ? "earlier" : "later");
  }

  Status end() override {
    if (!is_on_) return Done{};
    const Status stepped = around_.step_store_clock(-by_);
    is_on_ = !stepped.ok();
    return stepped;
  }

 private:
  const Duration by_;
  Surroundings& around_;
  Duration read_{0};
  bool is_on_ = false;
};

}  // namespace

FaultInfo step_store_clock() {
  return {.name = "step_store_clock",
          .family = "clock",
          .summary = "the clock that the store lives by is set forwards or backwards",
          .effect = FaultEffect::clock_wrong,
          .with = {{"by_ms", -60'000}},
          .needs = "virtual_time & clock=store | clock=mixed",
          .of_all = true,
          .one_at_a_time = true,
          .make = [](const FaultSpec& spec, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<StepStoreClock>(
                Duration{number_of(step_store_clock(), spec, "by_ms")}, around);
          }};
}

}  // namespace assay::faults
