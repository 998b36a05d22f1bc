// flow: jobs that follow from each other: who waits for whom, who does not, that what comes last
// comes once, and that nothing of it is lost with whoever worked on it.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/flows.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

OpId op_of(const EngineCall* call) { return call ? call->op : 0; }

// --- who waits for whom ---

void waits(const EngineView& view, const FlowView& flow, std::size_t index) {
  const FlowStep& step = flow.flow().order.steps[index];
  if (step.after.empty()) return;
  const auto story = [&](const char* did, Mark at, std::size_t one) {
    return fmt::format("{} {} at {}, and {} had not {} by then.", flow.step(index), did,
                       view.at(at.now), flow.step(one),
                       step.is_last_of_chord && flow.flow().text.goes_on ? "ended" : "succeeded");
  };
  if (const auto there = step.is_last_of_chord ? std::nullopt : flow.there(index)) {
    const auto early = flow.not_waited_for(index, *there);
    view.expect("FLOW-1", !early, {op_of(flow.made(index)), view.before(*there)},
                [&] { return story("was enqueued", *there, *early); });
  }
  const auto begun = flow.first_run(index);
  if (!begun) return;
  const auto early = flow.not_waited_for(index, *begun);
  const char* const rule = step.is_last_of_chord ? "FLOW-3" : "ORDER-7";
  view.expect(rule, !early, {op_of(flow.made(index)), view.before(*begun)},
              [&] { return story("began", *begun, *early); });
}

// --- who does not ---

// Whether somebody could have enqueued all the time between the two.
bool was_quiet(const EngineView& view, Mark from, Mark to) {
  const auto is_between = [&](const std::optional<Mark>& mark) {
    return mark && mark->place >= from.place && mark->place <= to.place;
  };
  const auto is_trouble = [&](const EngineWorker& worker) {
    return is_between(worker.died) || is_between(worker.stopping) || is_between(worker.ended);
  };
  const auto overlaps = [&](const TimeAway& outage) {
    return outage.began.place <= to.place && (!outage.ended || outage.ended->place >= from.place);
  };
  return std::ranges::none_of(view.facts.workers, is_trouble) &&
         std::ranges::none_of(view.facts.outages, overlaps);
}

// The other one was enqueued only when the first had ended, though time had passed.
bool came_one_after_the_other(const EngineView& view, const FlowView& flow, std::size_t one,
                              std::size_t other) {
  const EngineCall* const first = flow.made(one);
  const EngineCall* const second = flow.made(other);
  const EngineCall* const end = flow.success(one);
  return end && end->ended->place < second->began.place && first->ended->now < second->began.now &&
         was_quiet(view, *first->ended, second->began);
}

void fans_out(const EngineView& view, const FlowView& flow) {
  for (const auto& group : flow.flow().order.groups) {
    std::vector<std::pair<std::size_t, std::size_t>> firsts;  // with their part
    for (std::size_t part = 0; part < group.size(); ++part)
      for (const std::size_t index : group[part])
        if (flow.made(index)) firsts.emplace_back(part, index);
    std::optional<std::pair<std::size_t, std::size_t>> late;
    bool has_two = false;
    for (const auto& [part, one] : firsts)
      for (const auto& [other_part, other] : firsts) {
        if (part == other_part) continue;
        has_two = true;
        if (!late && came_one_after_the_other(view, flow, one, other)) late = {one, other};
      }
    if (!has_two) continue;
    const auto op = [&](std::size_t index) { return op_of(flow.made(index)); };
    view.expect("FLOW-2", !late,
                late ? std::vector<OpId>{op(late->first), op(late->second)} : std::vector<OpId>{},
                [&] {
                  return fmt::format(
                      "{} was enqueued at {}, when {} beside it had ended: they could not run at "
                      "once.",
                      flow.step(late->second), view.at(flow.made(late->second)->began.now),
                      flow.step(late->first));
                });
  }
}

// --- what comes last, once ---

void comes_once(const EngineView& view, const FlowView& flow, std::size_t index, StepFate fate) {
  if (!flow.flow().order.steps[index].is_last_of_chord) return;
  std::vector<OpId> made;
  for (const std::size_t call : flow.flow().steps[index].enqueues) {
    const EngineCall& enqueue = view.call(call);
    const auto* answer = enqueue.ok() ? std::get_if<Enqueued>(&enqueue.response) : nullptr;
    if (answer && !answer->existed) made.push_back(enqueue.op);
  }
  if (flow.was_retried_before(index)) view.verdicts.triggered("XFLOW-3");
  if (made.size() > 1) {
    const std::size_t times = made.size();
    view.convict("XFLOW-3", std::move(made),
                 fmt::format("{} was enqueued {} times.", flow.step(index), times));
  } else if (fate == StepFate::expected && view.facts.watched) {
    view.convict("XFLOW-3", {view.before(*view.facts.watched)},
                 fmt::format("all that {} waits for had ended, and it had not been enqueued by {}.",
                             flow.step(index), view.at(view.facts.watched->now)));
  }
}

// --- what is not lost ---

// Whether one that worked on it died, or ended in good order, while it was under way.
bool lost_somebody(const EngineView& view, const FlowView& flow,
                   std::optional<Mark> EngineWorker::*how) {
  return std::ranges::any_of(view.facts.workers, [&](const EngineWorker& worker) {
    const auto& end = worker.*how;
    return end && view.facts.watched && end->place < view.facts.watched->place &&
           flow.was_under_way(end->place);
  });
}

void goes_on(const EngineView& view, const FlowView& flow, const std::vector<StepFate>& fates) {
  if (!view.facts.watched) return;
  const auto still = std::ranges::find(fates, StepFate::expected);
  const auto stands_still = [&](const char* rule) {
    view.expect(rule, still == fates.end(), {view.before(*view.facts.watched)}, [&] {
      return fmt::format(
          "all that {} waits for had ended as it must, and it had not been enqueued by {}.",
          flow.step(static_cast<std::size_t>(still - fates.begin())),
          view.at(view.facts.watched->now));
    });
  };
  const bool died = lost_somebody(view, flow, &EngineWorker::died);
  if (died) stands_still("FLOW-4");
  if (died || lost_somebody(view, flow, &EngineWorker::ended)) stands_still("FLOW-5");
}

// What is kept of each step is what happened to it, and what is done is not done again.
void is_kept(const EngineView& view, const FlowView& flow, std::size_t index, StepFate fate) {
  const StepStory& step = flow.flow().steps[index];
  const EngineCall* const ack = flow.success(index);
  for (const std::size_t i : step.runs) {
    const HandlerRun& run = view.facts.runs[i];
    if (ack && run.began.place > ack->ended->place)
      view.convict("FLOW-5", {ack->op, view.before(run.began)},
                   fmt::format("{} succeeded at {}, and was run again at {}.", flow.step(index),
                               view.at(ack->ended->now), view.at(run.began.now)));
  }
  if (step.shown.empty()) return;
  const bool is_certain = fate == StepFate::succeeded;
  const bool cannot_be = !flow.may_have_succeeded(index, view.facts.last.place + 1) && !is_certain;
  const bool is_shown = step.shown == "succeeded";
  view.expect("FLOW-5", !(is_certain && !is_shown) && !(cannot_be && is_shown),
              {op_of(ack), view.before(view.facts.last)}, [&] {
                return fmt::format("{} {}, and is kept as {}.", flow.step(index),
                                   is_certain ? "succeeded" : "never succeeded", step.shown);
              });
}

void is_kept(const EngineView& view, const FlowView& flow, const std::vector<StepFate>& fates) {
  const FlowStory& story = flow.flow();
  for (std::size_t i = 0; i < fates.size(); ++i) is_kept(view, flow, i, fates[i]);
  if (story.shown.empty() || !story.accepted) return;
  const bool is_done =
      std::ranges::all_of(fates, [](StepFate fate) { return fate == StepFate::succeeded; });
  const bool is_failed =
      !story.text.goes_on && std::ranges::find(fates, StepFate::failed) != fates.end();
  const bool agrees = is_done     ? story.shown == "done"
                      : is_failed ? story.shown == "failed"
                                  : story.shown != "not_found";
  view.expect("FLOW-5", agrees, {view.before(view.facts.last)}, [&] {
    return fmt::format("{} of the steps of flow {} {}, and it is kept as {}.",
                       is_failed ? "one" : "all", story.text.id,
                       is_done     ? "succeeded"
                       : is_failed ? "is dead"
                                   : "were handed in",
                       story.shown);
  });
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const FlowStory& story : flows_in(facts)) {
    const FlowView flow(view, story);
    const std::vector<StepFate> fates = flow.fates();
    for (std::size_t i = 0; i < story.steps.size(); ++i) {
      waits(view, flow, i);
      comes_once(view, flow, i, fates[i]);
    }
    fans_out(view, flow);
    goes_on(view, flow, fates);
    is_kept(view, flow, fates);
  }
}

constexpr std::string_view rules[] = {"FLOW-1", "FLOW-2",  "FLOW-3", "FLOW-4",
                                      "FLOW-5", "XFLOW-3", "ORDER-7"};

}  // namespace

Property flow() { return {.family = "flow", .rules = rules, .calls = no_call, .engine = engine}; }

}  // namespace assay::properties
