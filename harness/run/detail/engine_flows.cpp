#include "harness/run/detail/engine_flows.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::detail {

void EngineFlows::tell(EngineEvent::Kind kind, std::string word) {
  stage_.tell({.kind = kind, .word = std::move(word)});
}

Result<std::unique_ptr<EngineDesk>> EngineFlows::desk(Driver& driver, const std::string& name) {
  if (!stage_.engine.desk) return unsupported("the engine has no flows");
  // Two that share a store must not share a seed.
  return stage_.engine.desk(stage_.runtime(), driver, name, stage_.seed + 1'000 + ++desks_);
}

void EngineFlows::at_desks(const std::string& who, std::int64_t number, const Doing& doing) {
  const auto work = [&](const std::string& name) {
    const auto made = desk(stage_.recorded(), name);
    // Who cannot reach the store cannot sit down either.
    if (made.ok()) doing(**made);
  };
  if (number == 1) return work(who);
  std::vector<std::unique_ptr<Task>> tasks;
  for (std::int64_t i = 1; i <= number; ++i) {
    const std::string name = fmt::format("{}-{}", who, i);
    tasks.push_back(stage_.runtime().start(name, [&, name](std::stop_token) { work(name); }));
  }
  for (const auto& task : tasks) static_cast<void>(task->join_until(std::nullopt));
}

void EngineFlows::submit(const Step& step) {
  const auto read = flow_in(step.what);
  if (!read.ok() || !stage_.engine.desk) return;
  const FlowText& flow = flows_.try_emplace(read->id, *read).first->second;
  if (flow != *read) return;  // another one of this name: nobody could tell their jobs apart
  tell(EngineEvent::Kind::flow_declared, text_of(flow));
  at_desks("submitter", step.max, [&](EngineDesk& desk) {
    const auto existed = desk.submit(flow);
    const std::string said =
        existed.ok() ? (*existed ? "ok existed" : "ok made")
                     : fmt::format("{} {}", is_definite(existed.error()) ? "refused" : "unknown",
                                   name_of(existed.error().code));
    tell(EngineEvent::Kind::flow_answered, fmt::format("{} {}", flow.id, said));
  });
}

void EngineFlows::sweep(const Step& step) {
  if (!stage_.engine.desk) return;
  at_desks("sweeper", step.max, [](EngineDesk& desk) { static_cast<void>(desk.sweep()); });
}

EngineDesk* EngineFlows::visitor() {
  if (!visitor_)
    if (auto made = desk(stage_.store(), "visitor"); made.ok()) visitor_ = std::move(*made);
  return visitor_.get();
}

bool EngineFlows::all_have_ended() {
  return std::ranges::all_of(flows_, [&](const auto& entry) {
    const auto seen = visitor() ? visitor()->show(entry.second) : Result<FlowSeen>(FlowSeen{});
    return !seen.ok() || (seen->state != "running" && seen->state != "submitting");
  });
}

void EngineFlows::tell_what_is_there(const std::set<JobId>& jobs_with_outputs) {
  using Kind = EngineEvent::Kind;
  if (!stage_.engine.desk || (flows_.empty() && jobs_with_outputs.empty()) || !visitor()) return;
  for (const auto& [id, flow] : flows_) {
    const auto seen = visitor()->show(flow);
    tell(Kind::flow_seen,
         fmt::format("{} {}", id,
                     seen.ok() ? seen->state : std::string(name_of(seen.error().code))));
    if (!seen.ok()) continue;
    for (const auto& [step, state] : seen->members)
      tell(Kind::member_seen, fmt::format("{}/{} {}", id, step, state));
  }
  for (const JobId& job : jobs_with_outputs) {
    const auto seen = visitor()->outputs(job);
    EngineEvent event{.kind = Kind::outputs_seen};
    event.job_id = job;
    event.word = seen.ok() ? "ok" : std::string(name_of(seen.error().code));
    stage_.tell(event);
    if (!seen.ok()) continue;
    for (const OutputSeen& output : *seen) {
      event.kind = Kind::output_seen;
      event.word = fmt::format("{} {}", output.name, output.value);
      event.numbers = {{"version", output.version}};
      stage_.tell(event);
    }
  }
  visitor_.reset();
}

}  // namespace assay::detail
