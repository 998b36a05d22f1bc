// Hooks: those of all properties, by what they are of use for.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "harness/judge/property.h"

namespace assay::judging {

class Hooks {
 public:
  // The properties are borrowed for life.
  explicit Hooks(std::span<const Property> properties);

  const auto& on(const Moment& moment) const {
    const auto& hooks = moment.plain ? on_call_ : on_odd_call_;
    return hooks[moment.missed ? calls : moment.call.request.index()];
  }
  const auto& on(const HoldUse& use) const {
    return on_hold_[static_cast<std::size_t>(use.kind)][static_cast<std::size_t>(use.standing)];
  }
  const auto& on(const Delivery& delivery) const {
    return is_first_run(delivery.job) ? on_first_run_ : on_delivery_;
  }
  const auto& on_sighting() const { return on_sighting_; }

 private:
  static constexpr std::size_t calls = std::variant_size_v<Request>;
  static constexpr std::size_t changes = static_cast<std::size_t>(Change::expiry) + 1;
  static constexpr std::size_t standings = static_cast<std::size_t>(Standing::forged) + 1;

  static bool is_first_run(const JobFacts& job) {
    return job.phase == Phase::waiting && job.cause == Cause::fresh &&
           job.changed_by == Change::enqueue && job.claims.empty();
  }
  void add_hold(const Property& property);

  // By call; those that missed a job come last.
  std::array<std::vector<decltype(Property::operation)>, calls + 1> on_call_, on_odd_call_;
  std::array<std::array<std::vector<decltype(Property::hold)>, standings>, changes> on_hold_;
  std::vector<decltype(Property::delivery)> on_first_run_, on_delivery_;
  std::vector<decltype(Property::sighting)> on_sighting_;
};

}  // namespace assay::judging
