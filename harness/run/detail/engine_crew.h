// EngineCrew: the workers of a plan, each from its start to its end or death, and what their
// handlers do.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/plan/script.h"
#include "harness/run/detail/engine_stage.h"

namespace assay::detail {

class EngineCrew {
 public:
  // The stage is borrowed for life.
  explicit EngineCrew(EngineStage& stage);
  ~EngineCrew();

  // Of the plan, by index. One that works is not started again, one that does not is not stopped.
  void start(std::size_t index);
  void stop(std::size_t index);  // in good order, which may take its time
  void kill(std::size_t index);
  void start_all();
  // In good order; nothing of anybody runs afterwards.
  void end_all();

 private:
  struct Instance;  // a worker, from its start to its end or death

  EngineTerms terms_of(const std::shared_ptr<Instance>& instance);
  Interception life_of(const std::shared_ptr<Instance>& instance);
  ActResult act(const std::shared_ptr<Instance>& instance, const Errand& errand);
  void end(const std::shared_ptr<Instance>& instance, bool tells);
  static void bury(std::shared_ptr<Instance>& instance);

  EngineStage& stage_;
  std::vector<std::shared_ptr<Instance>> workers_;  // shared with the handlers that still run
  std::map<JobId, std::int64_t> runs_;
  std::uint64_t starts_ = 0;
};

}  // namespace assay::detail
