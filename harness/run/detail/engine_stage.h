// EngineStage: where the run of an engine takes place: virtual time, a store made for it, and the
// book that everything is written into.
//
// Everybody in it is a task of its runtime: one moves at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/run/engine.h"
#include "harness/run/intercepted_driver.h"
#include "harness/run/recorded_driver.h"
#include "harness/schedule/virtual_runtime.h"

namespace assay::detail {

class EngineStage {
 public:
  // The plan, the engine and what the options name are borrowed for life.
  EngineStage(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
              const EngineInfo& engine, const std::string& driver_name);

  // Makes the store ready; `between` stands between it and the book. Requires: called once, first.
  Status set_up(Interception between);

  const Plan& plan;
  const EngineInfo& engine;
  const std::uint64_t seed;

  VirtualRuntime& runtime() { return runtime_; }
  Driver& store() { return *store_; }  // whatever is asked of it is not in the history
  RecordedDriver& recorded() { return *recorded_; }

  Instant now() { return runtime_.clock().now(); }
  void pass_until(Instant when) { runtime_.clock().sleep_until(when, {}); }
  void tell(EngineEvent event);  // at this instant
  // What went wrong first, of the harness's or the driver's making.
  void trouble(Error error);
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  const std::unique_ptr<Strategy> strategy_;
  VirtualRuntime runtime_;
  const std::string name_;
  Result<std::unique_ptr<Driver>> made_ = Error{};
  std::unique_ptr<Driver> store_;
  std::unique_ptr<Driver> between_;
  std::unique_ptr<RecordedDriver> recorded_;
  std::optional<Error> trouble_;
};

}  // namespace assay::detail
