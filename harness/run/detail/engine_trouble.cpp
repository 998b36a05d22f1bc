#include "harness/run/detail/engine_trouble.h"

#include <fmt/format.h>

namespace assay::detail {

Error no_answer() { return {ErrorCode::unavailable, "no answer"}; }

std::string worker_of(const SessionSpec& spec) { return spec.name.substr(0, spec.name.find('/')); }

bool EngineTrouble::is_away(const SessionSpec& spec) const {
  return away_ || away_for_.contains(worker_of(spec));
}

bool EngineTrouble::loses_answers(const SessionSpec& spec) const {
  return loses_answers_ || loses_answers_for_.contains(worker_of(spec));
}

void EngineTrouble::note(const std::vector<Enqueued>& made) {
  for (const Enqueued& one : made) jobs_made_.insert(one.id);
}

Interception EngineTrouble::interception() {
  Interception by;
  by.call = [this](const SessionSpec& spec, Instant now, const Request& request,
                   const Interception::Next& next) -> Result<Response> {
    if (std::holds_alternative<Close>(request)) return next(now, request);
    if (is_away(spec)) return ++met_, no_answer();
    auto answer = next(now, request);
    if (answer.ok())
      if (const auto* made = std::get_if<Enqueued>(&*answer)) note({*made});
    if (!loses_answers(spec)) return answer;
    ++met_;
    return no_answer();
  };
  by.commit = [this](const SessionSpec& spec, Instant now, const Commit& commit,
                     const Interception::NextCommit& next) -> Result<Committed> {
    auto answer = next(now, commit);
    if (answer.ok()) note(answer->enqueued);
    if (answer.ok())
      for (const Counted& counted : answer->counts) note(counted.then);
    if (!loses_answers(spec)) return answer;
    ++met_;
    return no_answer();
  };
  by.together = [this](const SessionSpec& spec, Instant now, std::span<const Request> requests,
                       const Interception::NextAll& next) {
    const std::vector<Result<Response>> lost(requests.size(), Result<Response>(no_answer()));
    if (is_away(spec)) return met_ += requests.size(), lost;
    auto answers = next(now, requests);
    for (const auto& answer : answers)
      if (answer.ok())
        if (const auto* made = std::get_if<Enqueued>(&*answer)) note({*made});
    if (!loses_answers(spec)) return answers;
    return met_ += requests.size(), lost;
  };
  by.records = [this](const SessionSpec& spec) -> Status {
    if (is_away(spec)) return ++met_, no_answer();
    return Done{};
  };
  return by;
}

bool EngineTrouble::begin_own(const std::string& name, const std::string& worker) {
  if (name == engine_faults[0] && worker.empty())
    away_ = true;
  else if (name == engine_faults[0])
    away_for_.insert(worker);
  else if (name == engine_faults[1] && worker.empty())
    loses_answers_ = true;
  else if (name == engine_faults[1])
    loses_answers_for_.insert(worker);
  else
    return false;
  return true;
}

void EngineTrouble::begin(const Step& step) {
  const std::string& name = step.fault->name;
  const std::string worker =
      step.worker < 0 ? "" : stage_.plan.workers[static_cast<std::size_t>(step.worker)].name;
  end(step.slot);
  if (!begin_own(name, worker)) return begin_listed(step);
  Open fault{*step.fault, worker, ++number_, records_.size(), met_};
  records_.push_back({.fault = name, .begun = true, .met_nobody = true});
  say(fault, FaultEvent::Stage::begun);
  if (!worker.empty()) stage_.tell({.kind = EngineEvent::Kind::line_lost, .worker = worker});
  open_.emplace(step.slot, std::move(fault));
}

void EngineTrouble::begin_listed(const Step& step) {
  FaultRecord record{.fault = step.fault->name};
  const auto info = find_fault(faults_, *step.fault);
  std::unique_ptr<Fault> made = info.ok() ? (*info)->make(*step.fault, -1, around_) : nullptr;
  const Status begun = made ? made->begin() : Status(info.error());
  record.begun = begun.ok();
  if (!begun.ok()) record.why_not = begun.error().message;
  records_.push_back(std::move(record));
  if (!begun.ok()) return;
  Open fault{*step.fault, "", ++number_, records_.size() - 1, 0, std::move(made)};
  say(fault, FaultEvent::Stage::begun);
  open_.emplace(step.slot, std::move(fault));
}

void EngineTrouble::end(int slot) {
  const auto at = open_.find(slot);
  if (at == open_.end()) return;
  Open fault = std::move(at->second);
  open_.erase(at);
  if (fault.fault)
    end_listed(fault);
  else
    end_own(fault);
  say(fault, FaultEvent::Stage::ended);
}

void EngineTrouble::end_own(const Open& fault) {
  FaultRecord& record = records_[fault.record];
  record.met_nobody = met_ == fault.met;
  if (!record.met_nobody) say(fault, FaultEvent::Stage::proven, proof_of(fault));
  if (!record.met_nobody) record.proof = proof_of(fault);
  if (fault.worker.empty()) away_ = loses_answers_ = false;
  away_for_.erase(fault.worker);
  loses_answers_for_.erase(fault.worker);
  if (!fault.worker.empty())
    stage_.tell({.kind = EngineEvent::Kind::line_back, .worker = fault.worker});
}

void EngineTrouble::end_listed(Open& fault) {
  FaultRecord& record = records_[fault.record];
  const auto proof = fault.fault->proof();
  if (proof.ok()) {
    record.proof = *proof;
    say(fault, FaultEvent::Stage::proven, *proof);
  } else {
    record.met_nobody = is_met_nobody(proof.error());
    record.why_not = proof.error().message;
  }
  if (const Status ended = fault.fault->end(); !ended.ok()) record.why_not = ended.error().message;
}

void EngineTrouble::end_all() {
  while (!open_.empty()) end(open_.begin()->first);
}

std::string EngineTrouble::proof_of(const Open& fault) const {
  return fmt::format("{} calls went without an answer", met_ - fault.met);
}

void EngineTrouble::say(const Open& fault, FaultEvent::Stage stage, std::string proof) {
  FaultEvent event;
  event.stage = stage;
  event.number = fault.number;
  event.fault = fault.spec.name;
  event.effect = fault.worker.empty() && !fault.fault ? FaultEffect::store_away : FaultEffect::none;
  event.proof = std::move(proof);
  stage_.recorded().record(std::move(event));
}

}  // namespace assay::detail
