#include "harness/plan/engine_build.h"

#include "harness/plan/build.h"

namespace assay {

static constexpr int producer = 0, admin = 1;

EnginePlan::EnginePlan(const Profile& profile, std::string_view name) : profile_(profile) {
  plan_.name = name;
  plan_.clients = {{"producer", Role::producer}, {"admin", Role::admin}};
}

int EnginePlan::worker(WorkerSpec spec) {
  const bool announces = spec.kind == WorkerSpec::Kind::dispatcher;
  if (spec.name.empty())
    spec.name = (announces ? "d" : "w") + std::to_string(plan_.workers.size() + 1);
  if (spec.queues.empty()) spec.queues = {"q"};
  plan_.workers.push_back(std::move(spec));
  return static_cast<int>(plan_.workers.size()) - 1;
}

int EnginePlan::dispatcher(WorkerSpec spec) {
  spec.kind = WorkerSpec::Kind::dispatcher;
  return worker(std::move(spec));
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
  made.announced = args.announced;
  if (has("timeouts")) made.timeout = args.timeout;
  if (args.delay && has("schedule_at_enqueue")) made.when = from_now(*args.delay);
  return {.kind = JobRef::Kind::made, .slot = made.slot};
}

int EnginePlan::of_kind(WorkerSpec::Kind kind, const char* letter) {
  WorkerSpec spec{.name = letter + std::to_string(plan_.workers.size() + 1), .kind = kind};
  return worker(std::move(spec));
}

void EnginePlan::schedule(const Recurring& recurring, std::string script,
                          const EngineJobArgs& args) {
  Step& declared = step(StepKind::declare_schedule, admin);
  declared.what = text_of(recurring);
  declared.queues = {args.queue};
  declared.type = args.type;
  declared.payload = text_payload(std::move(script));
  declared.limit = args.limit;
}

void EnginePlan::pause_schedule(const std::string& name) {
  step(StepKind::pause_schedule, admin).what = name;
}

void EnginePlan::resume_schedule(const std::string& name) {
  step(StepKind::resume_schedule, admin).what = name;
}

void EnginePlan::order(int caller, std::string_view way, std::string script,
                       const EngineJobArgs& args) {
  Step& made = step(StepKind::enqueue, producer);
  made.worker = caller;
  made.what = way;
  made.slot = orders_++;
  made.queues = {args.queue};
  made.type = way == "send_event" ? "event" : args.type;
  made.payload = text_payload(std::move(script));
  made.limit = args.limit;
  if (profile_.idem != Idem::none) made.key = args.key;
}

void EnginePlan::wait(Duration length) { step(StepKind::advance, 0).when = from_now(length); }

void EnginePlan::of_worker(StepKind kind, int worker) { step(kind, 0).worker = worker; }

void EnginePlan::kill_at_call(int worker, std::int64_t number) {
  kill(worker);
  plan_.steps.back().limit = number;
}

void EnginePlan::flow(std::string text, int at_once) {
  Step& submitted = step(StepKind::submit_flow, producer);
  submitted.what = std::move(text);
  submitted.max = at_once;
}

void EnginePlan::sweep(int at_once) { step(StepKind::sweep_flows, admin).max = at_once; }

void EnginePlan::cancel(const JobRef& job) {
  if (has("cancel")) step(StepKind::cancel, admin).job = job;
}

void EnginePlan::pause(const std::string& queue) {
  if (has("pause")) step(StepKind::pause, admin).queues = {queue};
}

void EnginePlan::resume(const std::string& queue) {
  if (has("pause")) step(StepKind::resume, admin).queues = {queue};
}

int EnginePlan::begin_fault(std::string_view fault, int worker,
                            std::map<std::string, std::int64_t> with) {
  Step& begun = step(StepKind::begin_fault, 0);
  begun.slot = faults_++;
  begun.worker = worker;
  begun.fault = FaultSpec{std::string(fault), true, std::move(with)};
  return begun.slot;
}

void EnginePlan::end_fault(int slot) { step(StepKind::end_fault, 0).slot = slot; }

}  // namespace assay
