// EnginePlan: writes a plan with workers as a story, in the profile's way.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/plan.h"
#include "harness/plan/recurring.h"

namespace assay {

struct EngineJobArgs {
  std::string queue = "q";
  std::string type = "act";
  std::optional<Duration> delay = {};
  std::optional<std::int64_t> limit = {};
  std::optional<Duration> timeout = {};  // left out where jobs bring none
  std::optional<std::string> key = {};
  bool announced = false;  // by the engine's own client, in one commit with a row
};

class EnginePlan {
 public:
  EnginePlan(const Profile& profile, std::string_view name);

  const Profile& profile() const { return profile_; }
  bool has(std::string_view capability) const { return profile_.has(capability); }
  Duration lease() const { return profile_.lease_ttl; }

  // Those without a queue serve "q".
  int worker(WorkerSpec spec);
  int dispatcher(WorkerSpec spec = {});
  JobRef job(std::string script, const EngineJobArgs& args = {});
  void wait(Duration length);
  // Who makes the jobs of schedules; who hands jobs in through the engine.
  int scheduler() { return of_kind(WorkerSpec::Kind::scheduler, "s"); }
  int caller() { return of_kind(WorkerSpec::Kind::caller, "c"); }
  // Jobs by this script, in the queue and of the type of the arguments.
  void schedule(const Recurring& recurring, std::string script, const EngineJobArgs& args = {});
  void pause_schedule(const std::string& name);
  void resume_schedule(const std::string& name);
  // `way` is one of CallerOrder::Way (harness/run/engine.h). No key where there are none.
  void order(int caller, std::string_view way, std::string script, const EngineJobArgs& args = {});
  void start(int worker) { of_worker(StepKind::start_worker, worker); }
  void stop(int worker) { of_worker(StepKind::stop_worker, worker); }
  void kill(int worker) { of_worker(StepKind::kill_worker, worker); }
  // Right after its so-manieth settle or commit from now.
  void kill_at_call(int worker, std::int64_t number);
  // A flow (harness/plan/flow_text.h), handed in by so many at once. Its steps are of queue "q".
  void flow(std::string text, int at_once = 1);
  void sweep(int at_once = 1);
  void cancel(const JobRef& job);  // nothing where there is no such call
  void pause(const std::string& queue);
  void resume(const std::string& queue);
  // -1: of everybody.
  int begin_fault(std::string_view fault, int worker = -1,
                  std::map<std::string, std::int64_t> with = {});
  void end_fault(int slot);

  Plan done() { return std::move(plan_); }

 private:
  void of_worker(StepKind kind, int worker);
  int of_kind(WorkerSpec::Kind kind, const char* letter);
  Step& step(StepKind kind, int client);

  Profile profile_;
  Plan plan_;
  int jobs_ = 0, faults_ = 0, orders_ = 0;
};

}  // namespace assay
