// EngineCrew: the workers of a plan, each from its start to its end or death, and what their
// handlers do.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/script.h"
#include "harness/run/detail/engine_stage.h"

namespace assay::detail {

// The numbers that a worker lives by, as a history has them.
std::map<std::string, std::int64_t> lives_by(const WorkerSpec& spec, const Profile& profile,
                                             const EngineInfo& engine);

class EngineCrew {
 public:
  // The stage is borrowed for life.
  explicit EngineCrew(EngineStage& stage);
  ~EngineCrew();

  // Of the plan, by index. One that works is not started again, one that does not is not stopped.
  void start(std::size_t index);
  void stop(std::size_t index);  // in good order, which may take its time
  void kill(std::size_t index);
  // Right after a settle or commit of its own took effect, the so-manieth from now: it does not
  // hear the answer.
  void kill_at_call(std::size_t index, std::int64_t number);
  void spare_all();  // nobody is to die any more
  void start_all();
  // Has the caller hand that in, while others go on. Nothing where he is not there.
  void ask(std::size_t index, std::int64_t number, CallerOrder order);
  // Waits until all who asked were answered, or nobody will.
  void end_asking();
  // In good order; nothing of them runs afterwards.
  void end_schedulers();
  // In good order; nothing of anybody runs afterwards.
  void end_all();
  // Whose handlers asked for outputs.
  const std::set<JobId>& jobs_with_outputs() const { return jobs_with_outputs_; }

  // Tells whose the sessions are that somebody opens.
  Interception known_as(std::string name);

 private:
  struct Instance;            // a worker, from its start to its end or death
  struct Told {               // to a handler
    bool is_told = false;     // to stop
    std::stop_source either;  // so, or its worker was killed
  };
  using Say = std::function<void(EngineEvent::Kind, std::string)>;

  EngineTerms terms_of(const std::shared_ptr<Instance>& instance);
  Interception life_of(const std::shared_ptr<Instance>& instance);
  ActResult act(const std::shared_ptr<Instance>& instance, const Errand& errand);
  // Whether it is to go on: it was not told to stop, or does not care.
  bool wait(Instance& instance, const Errand& errand, const Act& what, const Told& told);
  // What it is to be called is the run, and how many it made before.
  void make(const std::vector<OutputAct>& outputs, const Errand& errand, std::string_view run,
            int& made, const Say& say);
  // Its call took effect.
  void count_call(const std::shared_ptr<Instance>& instance);
  Status route(const std::shared_ptr<Instance>& instance, const std::string& row,
               const SentEvent& event);
  void end(const std::shared_ptr<Instance>& instance, bool tells);
  static void bury(std::shared_ptr<Instance>& instance);

  EngineStage& stage_;
  std::vector<std::shared_ptr<Instance>> workers_;  // shared with the handlers that still run
  std::map<JobId, std::int64_t> runs_;
  std::set<JobId> jobs_with_outputs_;
  std::uint64_t starts_ = 0;
  std::int64_t handlers_ = 0;  // that began
};

}  // namespace assay::detail
