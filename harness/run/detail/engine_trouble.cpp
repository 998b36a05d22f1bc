#include "harness/run/detail/engine_trouble.h"

#include <fmt/format.h>

namespace assay::detail {

Error no_answer() { return {ErrorCode::unavailable, "no answer"}; }

// Sessions of a worker are named after it: "w1/keeper".
static std::string worker_of(const SessionSpec& spec) {
  return spec.name.substr(0, spec.name.find('/'));
}

bool EngineTrouble::is_away(const SessionSpec& spec) const {
  return away_ || away_for_.contains(worker_of(spec));
}

Interception EngineTrouble::interception() {
  Interception by;
  by.call = [this](const SessionSpec& spec, Instant now, const Request& request,
                   const Interception::Next& next) -> Result<Response> {
    if (std::holds_alternative<Close>(request)) return next(now, request);
    if (is_away(spec)) return ++met_, no_answer();
    auto answer = next(now, request);
    if (!loses_answers_for_.contains(worker_of(spec))) return answer;
    ++met_;
    return no_answer();
  };
  by.records = [this](const SessionSpec& spec) -> Status {
    if (is_away(spec)) return ++met_, no_answer();
    return Done{};
  };
  return by;
}

void EngineTrouble::begin(const Step& step) {
  const std::string& name = step.fault->name;
  const std::string worker =
      step.worker < 0 ? "" : stage_.plan.workers[static_cast<std::size_t>(step.worker)].name;
  if (name == engine_faults[0] && worker.empty())
    away_ = true;
  else if (name == engine_faults[0])
    away_for_.insert(worker);
  else if (name == engine_faults[1] && !worker.empty())
    loses_answers_for_.insert(worker);
  else
    return;
  end(step.slot);
  Open fault{*step.fault, worker, ++number_, records_.size(), met_};
  records_.push_back({.fault = name, .begun = true, .met_nobody = true});
  say(fault, FaultEvent::Stage::begun);
  if (!worker.empty()) stage_.tell({.kind = EngineEvent::Kind::line_lost, .worker = worker});
  open_.emplace(step.slot, std::move(fault));
}

void EngineTrouble::end(int slot) {
  const auto at = open_.find(slot);
  if (at == open_.end()) return;
  const Open fault = std::move(at->second);
  open_.erase(at);
  if (met_ > fault.met) say(fault, FaultEvent::Stage::proven);
  if (met_ > fault.met) records_[fault.record].proof = proof_of(fault);
  records_[fault.record].met_nobody = met_ == fault.met;
  if (fault.worker.empty()) away_ = false;
  away_for_.erase(fault.worker);
  loses_answers_for_.erase(fault.worker);
  if (!fault.worker.empty())
    stage_.tell({.kind = EngineEvent::Kind::line_back, .worker = fault.worker});
  say(fault, FaultEvent::Stage::ended);
}

void EngineTrouble::end_all() {
  while (!open_.empty()) end(open_.begin()->first);
}

std::string EngineTrouble::proof_of(const Open& fault) const {
  return fmt::format("{} calls went without an answer", met_ - fault.met);
}

void EngineTrouble::say(const Open& fault, FaultEvent::Stage stage) {
  FaultEvent event;
  event.stage = stage;
  event.number = fault.number;
  event.fault = fault.spec.name;
  event.effect = fault.worker.empty() ? FaultEffect::store_away : FaultEffect::none;
  if (stage == FaultEvent::Stage::proven) event.proof = proof_of(fault);
  stage_.recorded().record(std::move(event));
}

}  // namespace assay::detail
