#include "harness/plan/engine_build.h"

#include "harness/plan/build.h"

namespace assay {

static constexpr int producer = 0, admin = 1;

EnginePlan::EnginePlan(const Profile& profile, std::string_view name) : profile_(profile) {
  plan_.name = name;
  plan_.clients = {{"producer", Role::producer}, {"admin", Role::admin}};
}

int EnginePlan::worker(WorkerSpec spec) {
  if (spec.name.empty()) spec.name = "w" + std::to_string(plan_.workers.size() + 1);
  if (spec.queues.empty()) spec.queues = {"q"};
  plan_.workers.push_back(std::move(spec));
  return static_cast<int>(plan_.workers.size()) - 1;
}

Step& EnginePlan::step(StepKind kind, int client) {
  plan_.steps.push_back({.kind = kind, .client = client});
  return plan_.steps.back();
}

JobRef EnginePlan::job(std::string script, const EngineJobArgs& args) {
  Step& made = step(StepKind::enqueue, producer);
  made.slot = jobs_++;
  made.id = "job-" + std::to_string(jobs_);
  made.queues = {args.queue};
  made.type = args.type;
  made.payload = text_payload(std::move(script));
  made.limit = args.limit;
  made.key = args.key;
  if (has("timeouts")) made.timeout = args.timeout;
  if (args.delay && has("schedule_at_enqueue")) made.when = from_now(*args.delay);
  return {.kind = JobRef::Kind::made, .slot = made.slot};
}

void EnginePlan::wait(Duration length) { step(StepKind::advance, 0).when = from_now(length); }

void EnginePlan::of_worker(StepKind kind, int worker) { step(kind, 0).worker = worker; }

void EnginePlan::cancel(const JobRef& job) {
  if (has("cancel")) step(StepKind::cancel, admin).job = job;
}

void EnginePlan::pause(const std::string& queue) {
  if (has("pause")) step(StepKind::pause, admin).queues = {queue};
}

void EnginePlan::resume(const std::string& queue) {
  if (has("pause")) step(StepKind::resume, admin).queues = {queue};
}

int EnginePlan::begin_fault(std::string_view fault, int worker) {
  Step& begun = step(StepKind::begin_fault, 0);
  begun.slot = faults_++;
  begun.worker = worker;
  begun.fault = FaultSpec{std::string(fault), true};
  return begun.slot;
}

void EnginePlan::end_fault(int slot) { step(StepKind::end_fault, 0).slot = slot; }

}  // namespace assay
