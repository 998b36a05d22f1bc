// OutboxWatch: sees every commit that writes, changes or drops a row of an engine's outbox, at the
// store itself, and tells of it.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "harness/history/history.h"
#include "harness/run/engine.h"
#include "harness/run/intercepted_driver.h"

namespace assay::detail {

class OutboxWatch {
 public:
  // The engine is borrowed for life.
  OutboxWatch(const EngineInfo& engine, std::function<void(EngineEvent)> tell)
      : engine_(engine), tell_(std::move(tell)) {}

  // To stand right before the store.
  Interception interception();

  // Whether a row waits to be dealt with.
  bool has_pending() const { return !pending_.empty(); }

 private:
  void see(const std::string& worker, const Commit& commit);
  void see_put(const std::string& worker, const Commit& commit, const Put& put);
  void see_drop(const std::string& worker, const Commit& commit, const Drop& drop);
  EngineEvent event_of(EngineEvent::Kind kind, const std::string& worker,
                       const EngineRow& row) const;

  const EngineInfo& engine_;
  const std::function<void(EngineEvent)> tell_;
  std::map<std::string, EngineRow> pending_;  // by id
};

}  // namespace assay::detail
