// EnginePlan: writes a plan with workers as a story, in the profile's way.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/plan.h"

namespace assay {

struct EngineJobArgs {
  std::string queue = "q";
  std::string type = "act";
  std::optional<Duration> delay = {};
  std::optional<std::int64_t> limit = {};
  std::optional<Duration> timeout = {};  // left out where jobs bring none
  std::optional<std::string> key = {};
};

class EnginePlan {
 public:
  EnginePlan(const Profile& profile, std::string_view name);

  const Profile& profile() const { return profile_; }
  bool has(std::string_view capability) const { return profile_.has(capability); }
  Duration lease() const { return profile_.lease_ttl; }

  // Those without a queue serve "q".
  int worker(WorkerSpec spec);
  JobRef job(std::string script, const EngineJobArgs& args = {});
  void wait(Duration length);
  void start(int worker) { of_worker(StepKind::start_worker, worker); }
  void stop(int worker) { of_worker(StepKind::stop_worker, worker); }
  void kill(int worker) { of_worker(StepKind::kill_worker, worker); }
  void cancel(const JobRef& job);  // nothing where there is no such call
  void pause(const std::string& queue);
  void resume(const std::string& queue);
  // -1: of everybody.
  int begin_fault(std::string_view fault, int worker = -1);
  void end_fault(int slot);

  Plan done() { return std::move(plan_); }

 private:
  void of_worker(StepKind kind, int worker);
  Step& step(StepKind kind, int client);

  Profile profile_;
  Plan plan_;
  int jobs_ = 0, faults_ = 0;
};

}  // namespace assay
