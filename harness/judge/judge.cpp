#include "harness/judge/judge.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "harness/judge/detail/explanation.h"
#include "harness/judge/detail/instants.h"
#include "harness/judge/engine_facts.h"
#include "harness/judge/ring.h"

namespace assay {

using judging::Operation;
using judging::Part;

namespace {

// So many ended calls wait for one that does not end; after that it is taken as lost.
constexpr std::size_t window_at_most = 20'000;

// What is known of one history.
struct Case {
  Case(const Profile& profile, const judging::Hooks& hooks, Verdicts& verdicts, JudgeLimits limits)
      : facts(profile),
        examiner(profile, hooks, facts, verdicts, window),
        explanation(facts, verdicts, window, examiner, limits.steps) {}

  Facts facts;
  std::optional<EngineFacts> engine;  // where one works
  judging::Window window;
  judging::Examiner examiner;
  judging::Explanation explanation;
  Place place = 0;       // of the event at hand
  Place last_ended = 0;  // of the operations that were judged
  std::uint64_t unknown = 0;
  bool overlapped = false;
  struct Batch {
    std::vector<Event> events;
    Place last = 0;  // of its events
  };
  Ring<Batch> kept;  // as long as an operation may still need one of its events

  // --- what comes in ---

  // Before it is taken in otherwise.
  void show_engine(const Event& event) {
    const auto* of_engine = std::get_if<EngineEvent>(&event);
    if (of_engine && !engine) engine.emplace(facts.profile());
    if (engine) engine->take(place + 1, event);
  }

  // Its owner keeps it for as long as the window needs it.
  void take(const Event& event) {
    show_engine(event);
    if (const auto* call = std::get_if<CallEvent>(&event))
      begin(call->op, call->now).call = call;
    else if (const auto* given = std::get_if<ReturnEvent>(&event))
      end(*given, [&](Operation& operation) { operation.end = given; });
    else if (const auto* fault = std::get_if<FaultEvent>(&event))
      befell(*fault);
    else if (std::holds_alternative<EngineEvent>(event))
      ++place;
    else
      facts.clock_moved(std::get<ClockEvent>(event).now);
  }

  // What nothing shows to have happened did not happen.
  void befell(const FaultEvent& fault) {
    ++place;
    if (fault.effect == FaultEffect::store_away) store_was_away(fault);
    if (fault.stage == FaultEvent::Stage::proven && fault.effect == FaultEffect::client_died &&
        fault.client)
      facts.client_died(*fault.client, place);
  }

  void take(std::vector<Event>& events) {
    kept.push_back({std::move(events)});
    // The events themselves stay where they are, whatever becomes of the list of batches.
    for (const Event& event : kept.back().events) take(event);
    kept.back().last = place;
    events.clear();
    while (!kept.empty() && kept.front().last < window.begins_at(place + 1)) {
      events = std::move(kept.front().events);
      kept.pop_front();
    }
  }

  void store_was_away(const FaultEvent& fault) {
    if (fault.stage == FaultEvent::Stage::begun) store_is_away_ = true;
    facts.sessions_may_be_new();
    if (fault.stage != FaultEvent::Stage::ended) return;
    store_is_away_ = false;
    facts.store_returned(place);
  }
  bool store_is_away_ = false;

  // Its call is still to be given.
  Operation& begin(OpId op, Instant now) {
    ++place;
    if (!window.nothing_open()) overlapped = true;
    explanation.saw_clock(now);
    return window.begin(op, place);
  }

  // Gives the answer to the call of that number, if there is one: `give` says who keeps it.
  template <class Give>
  void end(const ReturnEvent& event, const Give& give) {
    ++place;
    Operation* const operation = window.end(event.op);
    if (!operation) return;
    operation->ended = place;
    operation->unknown = event.outcome == OutcomeKind::unknown;
    give(*operation);
    if (judging::is_blurred(facts, *operation)) {
      facts.clock_seen_running();
      explanation.saw_clock(*operation->end->now);
    }
    if (operation->unknown) ++unknown;
    if (operation->unknown && store_is_away_) facts.caught_by_store(event.op);
    if (is_alone(*operation)) {
      explanation.judge_whole(*operation, true);
      facts.rest();
      last_ended = place;
      window.recycle(*operation);
      return;
    }
    take_in(*operation);
    if (window.size() > window_at_most) give_up_oldest();
    drain();
  }

  // It overlapped nothing, with nothing left over from before.
  bool is_alone(const Operation& operation) const {
    return !operation.unknown && explanation.is_certain() && window.nothing_open() &&
           window.empty() && last_ended < operation.began;
  }

  void take_in(Operation& operation) {
    window.add(operation, facts);
    if (operation.unknown) explanation.lose(operation);
  }

  bool give_up_oldest() {
    Operation* const operation = window.end_oldest();
    if (!operation) return false;
    ++unknown;
    operation->lose();
    operation->ended = ++place;
    take_in(*operation);
    return true;
  }

  void finish() {
    while (give_up_oldest()) {
    }
    drain();
  }

  // --- in which order it is judged ---

  void drain() {
    while (!window.empty()) {
      Operation& front = window.front();
      if (window.is_open_since(front.ended)) return;
      window.fetch_ahead(facts);
      if (!judge_front(front)) return;
      last_ended = std::max(last_ended, front.ended);
      window.pop();
      facts.rest();
    }
  }

  // An order of its own is looked for where there is more than one, or more than one state.
  void explain_parts(const Operation& front) {
    for (std::size_t i = 0; i < front.parts.size(); ++i) {
      const Part& part = front.parts[i];
      if (part.judged) continue;
      const bool clouded = front.unknown || explanation.is_clouded(part.id);
      if (!clouded && !window.is_met(part)) continue;
      const auto group = *window.together(part.id);
      if (clouded || group.size() > 1) explanation.explain(part.id, group, place);
    }
  }

  // False where it must wait for calls that have not ended.
  bool judge_front(Operation& front) {
    if (front.parts.size() == 1 && front.parts.front().index)
      facts.turn_to(*front.parts.front().index, front.parts.front().id);
    bool met = false;
    for (const Part& part : front.parts) {
      if (part.judged || !window.is_met(part)) continue;
      if (!window.together(part.id)) return false;
      met = true;
    }
    if (met || front.unknown || !explanation.is_certain()) explain_parts(front);
    if (front.unknown || front.judged) return true;
    const bool whole_job = !std::holds_alternative<Reserve>(front.call->request) &&
                           !std::holds_alternative<List>(front.call->request);
    const bool done = whole_job && !front.parts.empty() && front.parts.front().judged;
    const bool alone = last_ended < front.began && !window.overlaps_front();
    if (!done) explanation.judge_whole(front, alone);
    front.judged = true;
    return true;
  }
};

Tallies joined(const Tallies& some, const Tallies& others) {
  Tallies all;
  auto one = some.begin();
  for (const auto& [rule, tally] : others) {
    for (; one != some.end() && one->first < rule; ++one) all.append(one->first, one->second);
    Tally sum = tally;
    if (one != some.end() && one->first == rule) {
      sum.triggered += one->second.triggered;
      sum.convicted += (one++)->second.convicted;
    }
    all.append(rule, sum);
  }
  for (; one != some.end(); ++one) all.append(one->first, one->second);
  return all;
}

}  // namespace

struct Judge::State {
  State(const Profile& promised, std::span<const Property> all, JudgeLimits most)
      : profile(promised),
        properties(all),
        hooks(all),
        limits(most),
        verdicts(profile),
        at_hand(std::in_place, profile, hooks, verdicts, limits) {}

  Profile profile;
  std::span<const Property> properties;
  judging::Hooks hooks;
  JudgeLimits limits;
  Verdicts verdicts;
  std::optional<Verdicts> of_engine;  // where one worked: what it promises may not be its driver's
  std::optional<Case> at_hand;        // always there; optional so that it can be made anew

  void judge_engine(Judgement& judgement) {
    if (!of_engine) of_engine.emplace(profile, Certifies::engine);
    for (const Property& property : properties)
      if (property.engine) property.engine(*at_hand->engine, *of_engine);
    Judgement engines = of_engine->finish();
    judgement.tallies = joined(judgement.tallies, engines.tallies);
    std::ranges::move(engines.findings, std::back_inserter(judgement.findings));
  }

  Judgement finish() {
    at_hand->finish();
    Judgement judgement = verdicts.finish();
    if (at_hand->engine) judge_engine(judgement);
    judgement.unknown_outcomes = at_hand->unknown;
    judgement.overlapped = at_hand->overlapped;
    judgement.undecided = at_hand->explanation.undecided();
    at_hand.emplace(profile, hooks, verdicts, limits);
    return judgement;
  }
};

Judge::Judge(const Profile& profile, std::span<const Property> properties, JudgeLimits limits)
    : state_(std::make_unique<State>(profile, properties, limits)) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

const Profile& Judge::profile() const { return state_->profile; }

void Judge::observe(Event&& event) {
  Case& known = *state_->at_hand;
  known.show_engine(event);
  if (auto* call = std::get_if<CallEvent>(&event)) {
    Operation& operation = known.begin(call->op, call->now);
    operation.kept_call = std::move(*call);
    operation.call = &operation.kept_call;
  } else if (auto* end = std::get_if<ReturnEvent>(&event)) {
    known.end(*end, [&](Operation& operation) {
      operation.kept_end = std::move(*end);
      operation.end = &operation.kept_end;
    });
  } else if (const auto* fault = std::get_if<FaultEvent>(&event)) {
    known.befell(*fault);
  } else if (std::holds_alternative<EngineEvent>(event)) {
    ++known.place;
  } else {
    known.facts.clock_moved(std::get<ClockEvent>(event).now);
  }
}

void Judge::observe(std::vector<Event>& events) { state_->at_hand->take(events); }

Judgement Judge::finish() { return state_->finish(); }

Judgement Judge::judge(const History& history) {
  Case& known = *state_->at_hand;
  known.facts.starts_at(start_of(history));
  for (const Event& event : history.events) known.take(event);
  return finish();
}

Judgement judge(const History& history, std::span<const Property> properties) {
  return Judge(history.profile, properties).judge(history);
}

}  // namespace assay
