#include "properties/detail/flows.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::properties {
namespace {

using Kind = EngineEvent::Kind;

// "f/a succeeded": before the last blank, and behind it.
std::pair<std::string, std::string> two_of(const std::string& word) {
  const std::size_t apart = std::min(word.find(' '), word.size());
  return {word.substr(0, apart), word.substr(std::min(apart + 1, word.size()))};
}

class Picture {
 public:
  explicit Picture(const EngineFacts& facts) : facts_(facts) {}

  std::vector<FlowStory> draw() {
    for (const Said& said : facts_.said) take(said);
    for (std::size_t i = 0; i < facts_.calls.size(); ++i) take_call(i);
    for (std::size_t i = 0; i < facts_.assignments.size(); ++i) {
      const Job& job = facts_.assignments[i].claim.job;
      if (StepStory* step = step_of(job.payload)) {
        step->assignments.push_back(i);
        of_job_.emplace(job.id, step);
      }
    }
    for (const auto& [id, step] : of_job_) take_job(id, *step);
    return std::move(flows_);
  }

 private:
  void take(const Said& said) {
    const auto [name, rest] = two_of(said.event.word);
    if (said.event.kind == Kind::flow_declared) return declare(said);
    FlowStory* const flow = flow_named(name.substr(0, name.find('/')));
    if (!flow) return;
    if (said.event.kind == Kind::flow_answered && rest.starts_with("ok") && !flow->accepted)
      flow->accepted = said.at;
    if (said.event.kind == Kind::flow_seen) flow->shown = rest;
    if (said.event.kind == Kind::member_seen)
      if (StepStory* step = step_named(*flow, name.substr(name.find('/') + 1))) step->shown = rest;
  }

  void declare(const Said& said) {
    auto text = flow_in(said.event.word);
    if (!text.ok() || flow_named(text->id)) return;
    FlowStory flow;
    flow.order = order_of(*text);
    flow.text = std::move(*text);
    flow.steps.resize(flow.order.steps.size());
    flow.declared = said.at;
    flows_.push_back(std::move(flow));
  }

  FlowStory* flow_named(const std::string& id) {
    const auto at =
        std::ranges::find(flows_, id, [](const FlowStory& flow) { return flow.text.id; });
    return at == flows_.end() ? nullptr : &*at;
  }
  static StepStory* step_named(FlowStory& flow, const std::string& name) {
    const auto at = std::ranges::find(flow.order.steps, name, &FlowStep::name);
    if (at == flow.order.steps.end()) return nullptr;
    return &flow.steps[static_cast<std::size_t>(at - flow.order.steps.begin())];
  }
  StepStory* step_of(std::string_view payload) {
    const auto member = member_in(payload);
    FlowStory* const flow = member ? flow_named(member->flow) : nullptr;
    return flow ? step_named(*flow, member->step) : nullptr;
  }

  void take_call(std::size_t index) {
    const EngineCall& call = facts_.calls[index];
    if (const auto* enqueue = std::get_if<Enqueue>(&call.request)) {
      StepStory* const step = step_of(enqueue->job.payload);
      if (!step) return;
      step->enqueues.push_back(index);
      if (const auto* made = call.ok() ? std::get_if<Enqueued>(&call.response) : nullptr)
        of_job_.emplace(made->id, step);
      else if (enqueue->job.id)
        of_job_.emplace(*enqueue->job.id, step);
    } else if (const auto* view = call.ok() ? std::get_if<JobView>(&call.response) : nullptr) {
      if (StepStory* step = step_of(view->job.payload)) {
        step->was_seen = true;
        of_job_.emplace(view->job.id, step);
      }
    }
  }

  void take_job(const JobId& id, StepStory& step) {
    const auto* story = facts_.job(id);
    if (!story) return;
    step.runs.insert(step.runs.end(), story->runs.begin(), story->runs.end());
    step.settles.insert(step.settles.end(), story->changes.begin(), story->changes.end());
    if (story->last_seen) step.last_seen = story->last_seen;
  }

  const EngineFacts& facts_;
  std::vector<FlowStory> flows_;
  std::map<JobId, StepStory*> of_job_;
};

}  // namespace

std::vector<FlowStory> flows_in(const EngineFacts& facts) { return Picture(facts).draw(); }

std::string FlowView::step(std::size_t index) const {
  return fmt::format("step {} of flow {}", flow_.order.steps[index].name, flow_.text.id);
}

const EngineCall* FlowView::made(std::size_t index) const {
  for (const std::size_t call : story(index).enqueues) {
    const EngineCall& enqueue = view_.call(call);
    const auto* answer = enqueue.ok() ? std::get_if<Enqueued>(&enqueue.response) : nullptr;
    if (answer && !answer->existed) return &enqueue;
  }
  return nullptr;
}

std::optional<Mark> FlowView::there(std::size_t index) const {
  std::optional<Mark> first;
  const auto note = [&](const Mark& mark) {
    if (!first || mark.place < first->place) first = mark;
  };
  if (const EngineCall* call = made(index)) note(*call->ended);
  for (const std::size_t i : story(index).assignments) note(view_.facts.assignments[i].at);
  return first;
}

std::optional<Mark> FlowView::first_run(std::size_t index) const {
  std::optional<Mark> first;
  for (const std::size_t run : story(index).runs) {
    const Mark& began = view_.facts.runs[run].began;
    if (!first || began.place < first->place) first = began;
  }
  return first;
}

const EngineCall* FlowView::success(std::size_t index) const {
  for (const std::size_t call : story(index).settles)
    if (view_.call(call).ok() && std::holds_alternative<Ack>(view_.call(call).request))
      return &view_.call(call);
  return nullptr;
}

bool FlowView::may_have_succeeded(std::size_t index, Place before) const {
  return std::ranges::any_of(story(index).settles, [&](std::size_t call) {
    const EngineCall& ack = view_.call(call);
    return std::holds_alternative<Ack>(ack.request) && ack.began.place < before && !ack.refused();
  });
}

// By its worker, by somebody who cancels it, or by the store when its leases were lost.
bool FlowView::may_have_failed(std::size_t index, Mark before) const {
  const bool was_settled = std::ranges::any_of(story(index).settles, [&](std::size_t call) {
    const EngineCall& settle = view_.call(call);
    return !std::holds_alternative<Ack>(settle.request) && settle.began.place < before.place &&
           !settle.refused();
  });
  return was_settled || may_have_been_lost(index, before) ||
         std::ranges::any_of(story(index).assignments, [&](std::size_t one) {
           const Assignment& assignment = view_.facts.assignments[one];
           return assignment.at.place < before.place && assignment.expires_at <= before.now;
         });
}

// Whoever claimed it was not answered, so that nobody ran it, and the lease is over.
bool FlowView::may_have_been_lost(std::size_t index, Mark before) const {
  const auto& enqueues = story(index).enqueues;
  if (enqueues.empty()) return false;
  const auto& job = std::get<Enqueue>(view_.call(enqueues.front()).request).job;
  return std::ranges::any_of(view_.facts.calls, [&](const EngineCall& one) {
    const auto* claim = std::get_if<Reserve>(&one.request);
    if (!claim || one.outcome != OutcomeKind::unknown || one.began.place > before.place)
      return false;
    const bool could_have_it = claim->job_id
                                   ? claim->job_id == job.id
                                   : std::ranges::find(claim->queues, job.queue) !=
                                         claim->queues.end();
    return could_have_it && one.began.now + claim->lease <= before.now;
  });
}

bool FlowView::may_be_skipped(std::size_t index, Mark before) const {
  const FlowStep& step = flow_.order.steps[index];
  if (there(index)) return false;
  // A chord's last one comes though its members failed, but not where none of them began.
  const auto& needed = step.is_last_of_chord ? step.chord_after : step.after;
  return std::ranges::any_of(needed, [&](std::size_t one) {
    return may_have_failed(one, before) || may_be_skipped(one, before);
  });
}

bool FlowView::may_have_ended(std::size_t index, Mark before) const {
  if (may_have_succeeded(index, before.place)) return true;
  return flow_.text.goes_on && (may_have_failed(index, before) || may_be_skipped(index, before));
}

std::optional<std::size_t> FlowView::not_waited_for(std::size_t index, Mark at) const {
  const FlowStep& step = flow_.order.steps[index];
  for (const std::size_t one : step.after) {
    const bool is_over =
        step.is_last_of_chord ? may_have_ended(one, at) : may_have_succeeded(one, at.place);
    if (!is_over) return one;
  }
  return std::nullopt;
}

StepFate FlowView::fate_of(std::size_t index, const std::vector<StepFate>& before) const {
  const StepStory& own = story(index);
  const FlowStep& step = flow_.order.steps[index];
  if (success(index) || own.last_seen == JobState::done) return StepFate::succeeded;
  if (own.last_seen == JobState::dead || own.last_seen == JobState::cancelled)
    return StepFate::failed;
  if (there(index) || own.was_seen) return StepFate::unknown;
  const bool may_be_there = std::ranges::any_of(own.enqueues, [&](std::size_t call) {
    return view_.call(call).outcome == OutcomeKind::unknown;
  });
  if (may_be_there) return StepFate::unknown;
  if (step.after.empty()) return flow_.accepted ? StepFate::expected : StepFate::waiting;
  bool all_succeeded = true, all_ended = true;
  for (const std::size_t one : step.after) {
    const StepFate fate = before[one];
    const bool failed = fate == StepFate::failed || fate == StepFate::skipped;
    all_succeeded = all_succeeded && fate == StepFate::succeeded;
    all_ended = all_ended && (failed || fate == StepFate::succeeded);
  }
  if (all_succeeded) return StepFate::expected;
  if (!flow_.text.goes_on || !all_ended) return StepFate::waiting;
  if (!step.is_last_of_chord) return StepFate::skipped;
  const bool has_begun = std::ranges::all_of(
      step.chord_after, [&](std::size_t one) { return before[one] == StepFate::succeeded; });
  return has_begun ? StepFate::expected : StepFate::skipped;
}

std::vector<StepFate> FlowView::fates() const {
  std::vector<StepFate> fates;
  for (std::size_t i = 0; i < flow_.steps.size(); ++i) fates.push_back(fate_of(i, fates));
  // A flow with a dead step is stopped, unless it goes on.
  const bool may_be_stopped = !flow_.text.goes_on && std::ranges::any_of(fates, [](StepFate fate) {
    return fate == StepFate::failed || fate == StepFate::unknown;
  });
  if (may_be_stopped) std::ranges::replace(fates, StepFate::expected, StepFate::waiting);
  return fates;
}

bool FlowView::was_retried_before(std::size_t index) const {
  return std::ranges::any_of(flow_.order.steps[index].after, [&](std::size_t one) {
    return story(one).runs.size() > 1 || was_retried_before(one);
  });
}

bool FlowView::was_under_way(Place place) const {
  bool has_begun = false, has_ended = true;
  for (std::size_t i = 0; i < flow_.steps.size(); ++i) {
    const auto begun = there(i);
    has_begun = has_begun || (begun && begun->place < place);
    const EngineCall* ack = success(i);
    has_ended = has_ended && ack && ack->ended->place < place;
  }
  return has_begun && !has_ended;
}

}  // namespace assay::properties
