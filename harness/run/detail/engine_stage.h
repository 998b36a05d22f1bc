// EngineStage: where the run of an engine takes place: virtual time, a store for it, and the book
// that everything is written into.
//
// A driver that passes gates of its own is made for the run, on its clock. Any other lives by a
// clock that stands still and is moved along (harness/run/following_driver.h); it may be kept from
// run to run.
//
// Everybody in it is a task of its runtime: one moves at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/run/detail/outbox_watch.h"
#include "harness/run/detail/wakeup_post.h"
#include "harness/run/engine.h"
#include "harness/run/following_driver.h"
#include "harness/run/intercepted_driver.h"
#include "harness/run/recorded_driver.h"
#include "harness/schedule/virtual_runtime.h"

namespace assay::detail {

class EngineStage {
 public:
  // The plan, the engine and what the options name are borrowed for life.
  EngineStage(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
              const EngineInfo& engine, const std::string& driver_name, const KeptDriver& kept);

  // Makes the store ready; `between` stands between it and the book. Requires: called once, first.
  Status set_up(Interception between);

  const Plan& plan;
  const EngineInfo& engine;
  const std::uint64_t seed;

  VirtualRuntime& runtime() { return runtime_; }
  // Whatever is asked of it is not in the history.
  Driver& store() { return following_ ? static_cast<Driver&>(*following_) : *store_; }
  RecordedDriver& recorded() { return *recorded_; }
  WakeUpPost& post() { return post_; }
  const OutboxWatch& outbox() const { return outbox_; }

  Instant now() { return runtime_.clock().now(); }
  void pass_until(Instant when) { runtime_.clock().sleep_until(when, {}); }
  void tell(EngineEvent event);  // at this instant
  // What went wrong first, of the harness's or the driver's making.
  void trouble(Error error);
  const std::optional<Error>& trouble() const {
    return !trouble_ && following_ ? following_->trouble() : trouble_;
  }

 private:
  Status find_store();

  const std::unique_ptr<Strategy> strategy_;
  VirtualRuntime runtime_;
  const std::string name_;
  const KeptDriver kept_;
  VirtualClock standing_;  // of a driver that is moved along
  Result<std::unique_ptr<Driver>> made_ = Error{};
  bool follows_ = false;
  Driver* store_ = nullptr;  // the one that was made, or is kept
  std::unique_ptr<FollowingDriver> following_;
  OutboxWatch outbox_;
  WakeUpPost post_;
  std::unique_ptr<Driver> seen_, between_;
  std::unique_ptr<RecordedDriver> recorded_;
  std::optional<Error> trouble_;
};

}  // namespace assay::detail
