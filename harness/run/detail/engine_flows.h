// EngineFlows: what the people of a plan do with flows, and what is found of flows and outputs in
// the end.
#pragma once

#include <map>
#include <set>

#include "harness/run/detail/engine_stage.h"

namespace assay::detail {

class EngineFlows {
 public:
  // The stage is borrowed for life.
  explicit EngineFlows(EngineStage& stage) : stage_(stage) {}

  void submit(const Step& step);
  void sweep(const Step& step);

  // As the engine shows it to somebody whose calls are not in the history.
  bool all_have_ended();
  void tell_what_is_there(const std::set<JobId>& jobs_with_outputs);

 private:
  using Doing = std::function<void(EngineDesk&)>;
  // Each of so many does it at a desk of its own, all at once.
  void at_desks(const std::string& who, std::int64_t number, const Doing& doing);
  Result<std::unique_ptr<EngineDesk>> desk(Driver& driver, const std::string& name);
  // Of somebody whose calls are not in the history; null where there is none.
  EngineDesk* visitor();
  void tell(EngineEvent::Kind kind, std::string word);

  EngineStage& stage_;
  std::map<std::string, FlowText> flows_;  // by id
  std::unique_ptr<EngineDesk> visitor_;
  std::uint64_t desks_ = 0;
};

}  // namespace assay::detail
