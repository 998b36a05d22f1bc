#include "harness/judge/judge.h"

#include <algorithm>
#include <optional>

#include "harness/judge/property.h"
#include "harness/judge/reading.h"

namespace assay {

namespace {

// A call whose answer is not seen yet; `kept` where nobody else keeps it.
struct Open {
  const CallEvent* call;
  std::unique_ptr<CallEvent> kept;
};

}  // namespace

struct Judge::State {
  State(const Profile& claimed, std::span<const Property> all)
      : profile(claimed), properties(all), facts(std::in_place, profile), verdicts(profile) {}

  Profile profile;
  std::span<const Property> properties;
  std::optional<Facts> facts;  // always there; optional so that it can be made anew
  Verdicts verdicts;
  std::vector<Open> open;  // one, unless calls overlap
  std::uint64_t unknown = 0;
  bool overlapped = false;

  void begin(const CallEvent& call, std::unique_ptr<CallEvent> kept) {
    // Calls that overlap have no order of their own; until it is searched for, nothing is
    // concluded.
    if (!open.empty()) overlapped = true;
    open.push_back({&call, std::move(kept)});
  }

  void end(const ReturnEvent& end) {
    const auto at = std::ranges::find_if(open, [&](const Open& o) { return o.call->op == end.op; });
    if (at == open.end()) return;
    const Open ended = std::move(*at);
    open.erase(at);
    close(*ended.call, end);
  }

  Judgement finish() {
    Judgement judgement = verdicts.finish();
    judgement.unknown_outcomes = unknown + open.size();
    judgement.overlapped = overlapped;
    facts.emplace(profile);
    open.clear();
    unknown = 0;
    overlapped = false;
    return judgement;
  }

  void holds(const Moment& moment) {
    Change kind{};
    const Hold* hold = hold_of(moment.call.request, kind);
    if (!hold) return;
    const JobFacts* job = facts->find(hold->job_id);
    if (!job || job->spoiled) return;
    HoldUse use = standing_of(*facts, *job, *hold, kind, moment.now);
    for (const Property& property : properties)
      if (property.hold) property.hold(moment, use, verdicts);
  }

  void deliveries(const Moment& moment) {
    const auto* request = moment.request<Reserve>();
    const auto* answer = moment.answer<Claims>();
    if (!request || !answer) return;
    for (const Claim& claim : answer->claims) {
      const JobFacts* job = facts->find(claim.job.id);
      if (!job || job->spoiled) continue;
      for (const Property& property : properties)
        if (property.delivery) property.delivery(moment, {*job, claim, *request}, verdicts);
    }
  }

  void sight(const Moment& moment, const Job& shown, const JobView* whole) {
    const JobFacts* job = facts->find(shown.id);
    if (!job || job->spoiled) return;
    Sighting sighting{*job, shown, whole, allowed_states(*facts, *job, moment.now)};
    for (const Property& property : properties)
      if (property.sighting) property.sighting(moment, sighting, verdicts);
  }

  void sightings(const Moment& moment) {
    if (const auto* view = moment.answer<JobView>()) sight(moment, view->job, view);
    if (const auto* page = moment.answer<JobPage>())
      for (const Job& shown : page->jobs) sight(moment, shown, nullptr);
  }

  Moment read(const CallEvent& call, const ReturnEvent& end) {
    Moment moment{profile, *facts, call, end, call.now, false, false, false, nullptr};
    moment.malformed = is_malformed(call.request);
    const ClientFacts& client = facts->client(call.client);
    moment.after_close =
        client.closed || (client.perhaps_closed && moment.refused(ErrorCode::closed));
    const ErrorCode code = end.error.code;
    // A store that cannot be reached, or is full, breaks no promise by saying so.
    const bool failed = end.outcome == OutcomeKind::refused &&
                        (code == ErrorCode::unavailable || code == ErrorCode::internal);
    moment.plain = !failed && !moment.malformed && !moment.after_close &&
                   end.outcome != OutcomeKind::unknown &&
                   is_claimed(profile, call.request, call.now);
    if (moment.plain) moment.missed = missed_by(*facts, call, end);
    return moment;
  }

  void close(const CallEvent& call, const ReturnEvent& end) {
    if (end.outcome == OutcomeKind::unknown) ++unknown;
    if (overlapped) return;
    verdicts.begin(call.op);
    Moment moment = read(call, end);
    for (const Property& property : properties)
      if (property.operation) property.operation(moment, verdicts);
    if (moment.plain) {
      holds(moment);
      deliveries(moment);
      sightings(moment);
    }
    std::vector<std::size_t> spoiled = verdicts.take_spoiled();
    facts->apply(call, end);
    for (std::size_t index : spoiled) facts->spoil(index);
  }
};

Judge::Judge(const Profile& profile, std::span<const Property> properties)
    : state_(std::make_unique<State>(profile, properties)) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

const Profile& Judge::profile() const { return state_->profile; }

void Judge::observe(const Event& event) {
  if (const auto* call = std::get_if<CallEvent>(&event)) {
    auto kept = std::make_unique<CallEvent>(*call);
    const CallEvent& copy = *kept;
    state_->begin(copy, std::move(kept));
  } else if (const auto* end = std::get_if<ReturnEvent>(&event)) {
    state_->end(*end);
  } else {
    state_->facts->clock_moved();
  }
}

Judgement Judge::finish() { return state_->finish(); }

Judgement Judge::judge(const History& history) {
  for (const Event& event : history.events) {
    if (const auto* call = std::get_if<CallEvent>(&event))
      state_->begin(*call, nullptr);
    else
      observe(event);
  }
  return finish();
}

Judgement judge(const History& history, std::span<const Property> properties) {
  return Judge(history.profile, properties).judge(history);
}

}  // namespace assay
