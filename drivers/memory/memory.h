// memory: the yardstick driver. Everything in one process, nothing kept; every knob of the
// profile.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "drivers/memory/decisions.h"
#include "harness/contract/driver.h"

namespace assay {

DriverInfo memory();

// A memory driver that lives by these decisions. The clock is borrowed for the driver's life.
Result<std::unique_ptr<Driver>> make_memory_driver(
    const DriverOptions& options, std::unique_ptr<const memory_queue::Decisions> decisions);

// The memory driver with answers of its own: `D` is a Decisions made from a profile.
template <class D>
DriverInfo memory_that_decides(std::string name, std::string summary) {
  DriverInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.make = [](const DriverOptions& options) {
    DriverOptions adjusted = options;
    adjusted.profile.durability = Durability::none;
    return make_memory_driver(adjusted, std::make_unique<D>(adjusted.profile));
  };
  info.interleaving = Interleaving::fibers;
  return info;
}

}  // namespace assay
