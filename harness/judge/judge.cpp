#include "harness/judge/judge.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "harness/judge/detail/timeline.h"
#include "harness/judge/detail/window.h"
#include "harness/judge/property.h"
#include "harness/judge/reading.h"

namespace assay {

using judging::Operation;
using judging::Part;
using judging::World;

namespace {

// A call whose answer is not seen yet; `kept` where nobody else keeps it.
struct Open {
  const CallEvent* call;
  std::unique_ptr<CallEvent> kept;
  Place began;
};

// A job whose state is not certain: the ones that it may be in, and the calls whose answers were
// lost and that may still change it.
struct Cloud {
  std::vector<World> worlds;
  std::vector<const Operation*> lost;
};

struct LostClaims {
  std::vector<const Operation*> kept;
  bool too_many = false;
};

// So many ended calls wait for one that does not end; after that it is taken as lost.
constexpr std::size_t window_at_most = 20'000;
constexpr std::size_t worlds_at_most = 32;
constexpr std::size_t lost_claims_at_most = 16;
constexpr std::size_t clocks_at_most = 64;
constexpr std::uint64_t steps_at_most = 20'000;

}  // namespace

struct Judge::State final : judging::Stage {
  State(const Profile& promised, std::span<const Property> all)
      : profile(promised), properties(all), facts(std::in_place, profile), verdicts(profile) {}

  Profile profile;
  std::span<const Property> properties;
  std::optional<Facts> facts;  // always there; optional so that it can be made anew
  Verdicts verdicts;
  std::vector<Open> open;  // one, unless calls overlap
  judging::Window window;
  Place place = 0;       // of the event at hand
  Place last_ended = 0;  // of the operations that were judged
  std::uint64_t unknown = 0;
  std::uint64_t undecided = 0;
  bool overlapped = false;

  std::unordered_map<JobIndex, Cloud> clouds;
  std::vector<std::unique_ptr<Operation>> lost;             // that somebody may still ask for
  std::unordered_map<std::string, LostClaims> lost_claims;  // by queue
  std::vector<Instant> clocks;       // that calls showed, in their order: the latest ones
  std::optional<Instant> forgotten;  // the last of those that are not kept

  // --- what comes in ---

  void begin(const CallEvent& call, std::unique_ptr<CallEvent> kept) {
    ++place;
    if (!open.empty()) overlapped = true;
    if (clocks.empty() || clocks.back() != call.now) {
      if (clocks.size() == clocks_at_most) {
        forgotten = std::max(forgotten.value_or(clocks.front()), clocks.front());
        clocks.erase(clocks.begin());
      }
      clocks.push_back(call.now);
    }
    open.push_back({&call, std::move(kept), place});
  }

  void end(const ReturnEvent& end, bool keep) {
    ++place;
    const auto at = std::ranges::find_if(open, [&](const Open& o) { return o.call->op == end.op; });
    if (at == open.end()) return;
    Open ended = take(at);
    if (end.outcome == OutcomeKind::unknown) ++unknown;
    // One that overlapped nothing, with nothing left over from before.
    const bool certain =
        end.outcome != OutcomeKind::unknown && clouds.empty() && lost_claims.empty();
    if (certain && open.empty() && window.empty() && last_ended < ended.began) {
      Operation alone;
      alone.call = ended.call;
      alone.end = &end;
      alone.began = ended.began;
      alone.ended = place;
      judge_whole(alone, true);
      last_ended = place;
      return;
    }
    auto operation = std::make_unique<Operation>();
    operation->call = ended.call;
    operation->kept_call = std::move(ended.kept);
    operation->end = &end;
    if (keep) {
      operation->kept_end = std::make_unique<ReturnEvent>(end);
      operation->end = operation->kept_end.get();
    }
    operation->began = ended.began;
    operation->ended = place;
    operation->unknown = end.outcome == OutcomeKind::unknown;
    take_in(std::move(operation));
    if (window.size() > window_at_most) give_up_oldest();
    drain();
  }

  void take_in(std::unique_ptr<Operation> operation) {
    Operation& added = window.add(std::move(operation), *facts);
    if (!added.unknown) return;
    facts->lose(*added.call);
    const auto* reserve = std::get_if<Reserve>(&added.call->request);
    if (!reserve) return;
    // Those that are too many still excuse what they may have done: see beyond_bounds.
    const Operation* claim = nullptr;
    for (const std::string& queue : reserve->queues) {
      LostClaims& claims = lost_claims[queue];
      claims.too_many |= claims.kept.size() == lost_claims_at_most;
      if (claims.too_many) continue;
      if (!claim) claim = keep(copy_of(added));
      claims.kept.push_back(claim);
    }
  }

  std::unique_ptr<Operation> copy_of(const Operation& operation) const {
    auto copy = std::make_unique<Operation>();
    copy->kept_call = std::make_unique<CallEvent>(*operation.call);
    copy->kept_end = std::make_unique<ReturnEvent>(*operation.end);
    copy->call = copy->kept_call.get();
    copy->end = copy->kept_end.get();
    copy->began = operation.began;
    copy->ended = operation.ended;
    copy->parts = operation.parts;
    copy->unknown = true;
    return copy;
  }

  const Operation* keep(std::unique_ptr<Operation> operation) {
    lost.push_back(std::move(operation));
    return lost.back().get();
  }

  Open take(std::vector<Open>::iterator at) {
    Open taken = std::move(*at);
    if (at + 1 != open.end()) *at = std::move(open.back());
    open.pop_back();
    return taken;
  }

  void give_up_oldest() {
    const auto oldest = std::ranges::min_element(open, {}, &Open::began);
    if (oldest != open.end()) never_ends(oldest);
  }

  void never_ends(std::vector<Open>::iterator at) {
    Open ended = take(at);
    ++unknown;
    auto operation = std::make_unique<Operation>();
    operation->call = ended.call;
    operation->kept_call = std::move(ended.kept);
    operation->kept_end = std::make_unique<ReturnEvent>(
        ReturnEvent{ended.call->op, OutcomeKind::unknown, Done{}, {}});
    operation->end = operation->kept_end.get();
    operation->began = ended.began;
    operation->ended = ++place;
    operation->unknown = true;
    take_in(std::move(operation));
  }

  Judgement finish() {
    std::ranges::sort(open, {}, &Open::began);
    while (!open.empty()) never_ends(open.begin());
    drain();
    Judgement judgement = verdicts.finish();
    judgement.unknown_outcomes = unknown;
    judgement.overlapped = overlapped;
    judgement.undecided = undecided;
    facts.emplace(profile);
    clouds.clear();
    lost.clear();
    lost_claims.clear();
    clocks.clear();
    forgotten.reset();
    place = last_ended = last_switch = 0;
    claimed.clear();
    unknown = undecided = 0;
    overlapped = false;
    return judgement;
  }

  // --- in which order it is judged ---

  void drain() {
    while (!window.empty()) {
      Operation& front = window.front();
      for (const Open& call : open)
        if (call.began < front.ended) return;
      if (!judge_front(front)) return;
      last_ended = std::max(last_ended, front.ended);
      window.pop();
    }
  }

  // The operations about the job that overlap, directly or through others, from the front on;
  // nothing where one of them overlaps a call that has not ended yet.
  std::optional<std::vector<Operation*>> together(const JobId& id) {
    std::vector<Operation*> all = window.about(id), group;
    Place until = 0;
    for (Operation* operation : all) {
      if (operation->part(id)->judged) continue;
      if (!group.empty() && operation->began >= until &&
          std::ranges::none_of(all, [&](const Operation* later) {
            return later->ended > operation->ended && later->began < until;
          }))
        break;
      group.push_back(operation);
      until = std::max(until, operation->ended);
    }
    for (const Open& call : open)
      if (call.began < until) return std::nullopt;
    return group;
  }

  bool is_clouded(const JobId& id) const {
    const JobFacts* job = facts->find(id);
    return job && (clouds.contains(job->index) || lost_claims.contains(job->given.queue));
  }

  // False where it must wait for calls that have not ended.
  bool judge_front(Operation& front) {
    for (const Part& part : front.parts)
      if (!part.judged && !together(part.id)) return false;
    // An order of its own is looked for where there is more than one, or more than one state.
    for (std::size_t i = 0; i < front.parts.size(); ++i) {
      if (front.parts[i].judged) continue;
      const JobId id = front.parts[i].id;
      const auto group = *together(id);
      if (group.size() > 1 || is_clouded(id) || front.unknown) explain(id, group);
    }
    if (front.unknown || front.judged) return true;
    const bool whole_job = !std::holds_alternative<Reserve>(front.call->request) &&
                           !std::holds_alternative<List>(front.call->request);
    const bool done = whole_job && !front.parts.empty() && front.parts.front().judged;
    const bool alone = last_ended < front.began && !window.overlaps_front();
    if (!done) judge_whole(front, alone);
    front.judged = true;
    return true;
  }

  // --- one operation ---

  void holds(const Moment& moment) {
    Change kind{};
    const Hold* hold = hold_of(moment.call.request, kind);
    if (!hold) return;
    const JobFacts* job = facts->find(hold->job_id);
    if (!job || job->spoiled) return;
    HoldUse use = standing_of(*facts, *job, *hold, kind, moment.now, moment.ok());
    for (const Property& property : properties)
      if (property.hold) property.hold(moment, use, verdicts);
  }

  void deliver(const Moment& moment, const Claim& claim) {
    const JobFacts* job = facts->find(claim.job.id);
    if (!job || job->spoiled) return;
    for (const Property& property : properties)
      if (property.delivery)
        property.delivery(moment, {*job, claim, *moment.request<Reserve>()}, verdicts);
  }

  void sight(const Moment& moment, const Job& shown, const JobView* whole) {
    const JobFacts* job = facts->find(shown.id);
    if (!job || job->spoiled) return;
    Sighting sighting{*job, shown, whole, allowed_states(*facts, *job, moment.now)};
    for (const Property& property : properties)
      if (property.sighting) property.sighting(moment, sighting, verdicts);
  }

  Moment read(const Operation& operation, bool alone) {
    const CallEvent& call = *operation.call;
    const ReturnEvent& end = *operation.end;
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
    moment.alone = alone;
    moment.began = operation.began;
    if (!moment.plain) return moment;
    if (alone)
      moment.missed = missed_by(*facts, call, end);
    else
      look_around(operation, moment);
    return moment;
  }

  // What overlapped it, as far as rules of queues and keys ask.
  void look_around(const Operation& operation, Moment& moment) {
    moment.resuming = window.switches() > 0;
    if (const auto* reserve = moment.request<Reserve>())
      moment.other_claims = last_claimed_after(operation.began, reserve->queues) ||
                            window.claims_before(operation, reserve->queues, operation.ended);
    const NewJob* keyed = nullptr;
    if (const auto* enqueue = moment.request<Enqueue>()) keyed = &enqueue->job;
    if (const auto* requeue = moment.request<Requeue>())
      if (const JobFacts* job = facts->find(requeue->job_id)) keyed = &job->given;
    const std::string key = keyed ? facts->key_of(*keyed) : std::string();
    if (!key.empty()) look_at_key(operation, *keyed, key, moment);
  }

  void look_at_key(const Operation& operation, const NewJob& keyed, const std::string& key,
                   Moment& moment) {
    for (const Operation* other : window.with_key(key))
      if (other != &operation && other->began < operation.ended)
        moment.key_unsure = moment.key_race = true;
    const auto* holders = facts->holders(keyed);
    if (!holders) return;
    const auto* answer = moment.answer<Enqueued>();
    for (const JobIndex index : *holders) {
      const JobFacts& holder = facts->job(index);
      const bool raced = holder.born_ended > operation.began;
      bool in_doubt = holder.spoiled;
      for (const Operation* other : window.about(holder.id))
        in_doubt |= other != &operation && other->began < operation.ended;
      if (answer)
        for (const Operation* other : window.about(answer->id)) in_doubt |= other != &operation;
      moment.key_race |= raced;
      moment.key_unsure |= raced || in_doubt || holder.touched > operation.began;
      const bool active = holder.phase == Phase::waiting ||
                          (holder.phase == Phase::leased && !facts->lapsed(holder, moment.now));
      const bool kept = profile.idem == Idem::return_existing || active;
      if (raced && kept && !in_doubt) moment.rival = &holder;
    }
  }

  // A pause or resume that no other overlapped.
  Place last_switch = 0;
  bool is_only_switch(const Operation& operation) {
    const bool is_switch = std::holds_alternative<Pause>(operation.call->request) ||
                           std::holds_alternative<Resume>(operation.call->request);
    if (!is_switch) return false;
    const bool only = last_switch < operation.began && window.switches() <= 1;
    last_switch = operation.ended;
    return only;
  }

  // Where the last claim on each queue ended.
  std::unordered_map<std::string, Place> claimed;
  bool last_claimed_after(Place began, const std::vector<std::string>& queues) const {
    for (const std::string& queue : queues)
      if (const auto at = claimed.find(queue); at != claimed.end() && at->second > began)
        return true;
    return false;
  }

  // Judges it and takes it in, but for those of its jobs that were judged with others already.
  void judge_whole(const Operation& operation, bool alone) {
    const CallEvent& call = *operation.call;
    const ReturnEvent& end = *operation.end;
    const auto left = [&](const JobId& id) {
      for (const Part& part : operation.parts)
        if (part.id == id) return !part.judged;
      return true;
    };
    verdicts.begin(call.op);
    const Moment moment = read(operation, alone);
    for (const Property& property : properties)
      if (property.operation) property.operation(moment, verdicts);
    const auto* claims = moment.answer<Claims>();
    const auto* page = moment.answer<JobPage>();
    if (moment.plain) {
      holds(moment);
      if (claims && moment.request<Reserve>())
        for (const Claim& claim : claims->claims)
          if (left(claim.job.id)) deliver(moment, claim);
      if (const auto* view = moment.answer<JobView>()) sight(moment, view->job, view);
      if (page)
        for (const Job& shown : page->jobs)
          if (left(shown.id)) sight(moment, shown, nullptr);
    }
    const std::vector<std::size_t> spoiled = verdicts.take_spoiled();
    const bool parted =
        std::ranges::any_of(operation.parts, [](const Part& s) { return s.judged; });
    if (!parted) {
      facts->apply(call, end, alone || is_only_switch(operation), operation.began, operation.ended);
    } else {
      facts->apply_page(call, end);
      for (const Part& part : operation.parts)
        if (const JobFacts* job = part.judged ? nullptr : facts->find(part.id))
          facts->apply_to(call, end, job->index, false, operation.ended);
    }
    for (const std::size_t index : spoiled) give_up(index);
    if (const auto* reserve = std::get_if<Reserve>(&call.request); reserve && overlapped)
      for (const std::string& queue : reserve->queues) claimed[queue] = operation.ended;
    for (const Part& part : operation.parts)
      if (const JobFacts* job = facts->find(part.id)) facts->touched(job->index, operation.ended);
  }

  // --- one job's calls, in an order that explains them ---

  // The hooks that look at one job.
  void judge_part(const Operation& operation, const JobId& id) {
    verdicts.begin(operation.call->op);
    const Moment moment = read(operation, false);
    const auto* claims = moment.answer<Claims>();
    const auto* page = moment.answer<JobPage>();
    if (moment.request<Reserve>() || moment.request<List>()) {
      if (!moment.plain) return;
      if (claims)
        for (const Claim& claim : claims->claims)
          if (claim.job.id == id) deliver(moment, claim);
      if (page)
        for (const Job& shown : page->jobs)
          if (shown.id == id) sight(moment, shown, nullptr);
      return;
    }
    for (const Property& property : properties)
      if (property.operation) property.operation(moment, verdicts);
    if (!moment.plain) return;
    holds(moment);
    if (const auto* view = moment.answer<JobView>()) sight(moment, view->job, view);
  }

  std::vector<Finding> objections;  // to the last answer that was tried

  std::optional<JobFacts> answered(const JobFacts& before, const Operation& operation) override {
    JobFacts job = before;
    job.spoiled = false;
    const JobIndex index = job.index;
    const JobId id = job.id;
    facts->exchange(index, job);
    objections.clear();
    verdicts.set_trial(&objections);
    judge_part(operation, id);
    verdicts.set_trial(nullptr);
    if (objections.empty())
      facts->apply_to(*operation.call, *operation.end, index, true, operation.ended);
    facts->exchange(index, job);
    if (!objections.empty()) return std::nullopt;
    return job;
  }

  std::vector<JobFacts> perhaps(const JobFacts& before, const Operation& operation,
                                Instant at) override {
    JobFacts job = before;
    job.spoiled = false;
    const JobIndex index = job.index;
    facts->exchange(index, job);
    std::vector<JobFacts> after = facts->perhaps(*operation.call, index, at);
    facts->exchange(index, job);
    return after;
  }

  // What makes the job comes first. False where nobody makes it.
  bool make_job(const JobId& id, const std::vector<Operation*>& group) {
    if (facts->find(id)) {
      for (Operation* operation : group)
        if (operation->makes(id)) operation->part(id)->judged = true;
      return true;
    }
    for (Operation* operation : group) {
      if (!operation->makes(id) || operation->judged) continue;
      // Whatever ended before it began met no such job.
      for (Operation* before : group)
        if (before->ended < operation->began && !before->judged && !before->unknown) {
          judge_whole(*before, false);
          before->judged = before->part(id)->judged = true;
        }
      if (const auto* requeue = std::get_if<Requeue>(&operation->call->request)) {
        if (const auto* old = operation->part(requeue->job_id); old && !old->judged)
          if (const auto before = together(requeue->job_id)) explain(requeue->job_id, *before);
      }
      if (!operation->judged && !facts->find(id)) {
        judge_whole(*operation, false);
        operation->judged = true;
      }
      for (Part& part : operation->parts) part.judged = true;
      // A look that overlapped it may have come before there was anything to see.
      for (Operation* look : group)
        if (!look->unknown && look->end->outcome == OutcomeKind::refused &&
            look->end->error.code == ErrorCode::not_found && look->began < operation->ended &&
            std::ranges::none_of(group, [&](const Operation* other) {
              return other != look && !other->unknown && other->ended < look->began &&
                     other->end->outcome == OutcomeKind::ok;
            }))
          look->part(id)->judged = look->judged = true;
      return facts->find(id) != nullptr;
    }
    return false;
  }

  void explain(const JobId& id, std::vector<Operation*> group) {
    if (!make_job(id, group)) {
      for (Operation* operation : group)
        if (operation->unknown) operation->part(id)->judged = true;
      return;
    }
    const JobIndex index = facts->find(id)->index;
    std::erase_if(group, [&](Operation* operation) { return operation->part(id)->judged; });
    for (Operation* operation : group) operation->part(id)->judged = true;
    const auto cloud = clouds.find(index);
    if (facts->job(index).spoiled && cloud == clouds.end()) return take_in_spoiled(index, group);
    Cloud before;
    if (cloud != clouds.end())
      before = cloud->second;
    else
      before.worlds.push_back({std::make_shared<const JobFacts>(facts->job(index)), Instant{}});
    search(index, group, before);
    facts->touched(index, group.empty() ? place : group.back()->ended);
  }

  // Nothing is concluded from it any more, but whose token is whose.
  void take_in_spoiled(JobIndex index, const std::vector<Operation*>& group) {
    for (const Operation* operation : group)
      if (!operation->unknown)
        facts->apply_to(*operation->call, *operation->end, index, false, operation->ended);
  }

  using Timed = search::Timed<const Operation*>;

  static Timed timed(const Operation* operation) {
    return {operation, static_cast<std::int64_t>(operation->began),
            static_cast<std::int64_t>(operation->ended), operation->unknown};
  }

  void search(JobIndex index, const std::vector<Operation*>& group, const Cloud& before) {
    std::vector<Timed> history;
    std::vector<Instant> instants;
    Cloud after;
    for (const Operation* operation : group) {
      const Operation* kept = operation->unknown ? keep(copy_of(*operation)) : operation;
      history.push_back(timed(kept));
      instants.push_back(operation->call->now);
      if (operation->unknown) after.lost.push_back(kept);
    }
    for (const Operation* lost_one : before.lost) {
      history.push_back(timed(lost_one));
      after.lost.push_back(lost_one);
    }
    if (const auto at = lost_claims.find(facts->job(index).given.queue); at != lost_claims.end())
      for (const Operation* claim : at->second.kept) history.push_back(timed(claim));
    // A call that was lost may have been late: whenever the clock was read since.
    const bool anything_lost = std::ranges::any_of(history, &Timed::unknown);
    if (anything_lost) instants.insert(instants.end(), clocks.begin(), clocks.end());
    history.push_back({nullptr, INT64_MAX, INT64_MAX, false});
    std::ranges::sort(instants);

    std::vector<World> ends;
    std::optional<search::Finding> first, stuck;
    World first_from, stuck_from;
    for (const World& world : before.worlds) {
      while (ends.size() <= worlds_at_most) {
        const judging::Timeline timeline{*this, world, instants, ends};
        search::Limits limits;
        limits.max_steps = steps_at_most;
        search::Finding found = search::explain(timeline, std::span<const Timed>(history), limits);
        if (found.answer == search::Answer::undecided) return lose_track(index);
        if (found.answer == search::Answer::impossible) {
          if (!stuck || found.order.size() > stuck->order.size()) stuck = found, stuck_from = world;
          break;
        }
        ends.push_back(timeline.end);
        if (!first) first = std::move(found), first_from = world;
      }
    }
    if (ends.size() > worlds_at_most) return lose_track(index);
    if (ends.empty() && beyond_bounds(index, history)) return lose_track(index);
    if (ends.empty()) return convict(index, history, *stuck, stuck_from, instants);
    count(index, history, *first, first_from, instants);
    std::erase_if(after.lost, [&](const Operation* call) {
      return std::ranges::none_of(
          ends, [&](const World& world) { return judging::may_matter(*facts, *world.job, *call); });
    });
    after.worlds = std::move(ends);
    settle(index, std::move(after));
  }

  // Whether what was lost may have done more than was tried.
  bool beyond_bounds(JobIndex index, const std::vector<Timed>& history) const {
    const auto claims = lost_claims.find(facts->job(index).given.queue);
    if (claims != lost_claims.end() && claims->second.too_many) return true;
    return forgotten && std::ranges::any_of(history, [&](const Timed& timed) {
             return timed.unknown && timed.what->call->now <= *forgotten;
           });
  }

  void settle(JobIndex index, Cloud after) {
    if (after.worlds.size() == 1 && after.lost.empty()) {
      clouds.erase(index);
      facts->settle(index, *after.worlds.front().job);
      return;
    }
    facts->spoil(index);
    clouds[index] = std::move(after);
  }

  void give_up(JobIndex index) {
    clouds.erase(index);
    facts->spoil(index);
  }

  void lose_track(JobIndex index) {
    ++undecided;
    give_up(index);
  }

  // Goes through an order once more and calls `each` with the job as it was before each answer.
  template <class Each>
  JobFacts retrace(const std::vector<Timed>& history, const std::vector<search::OpIndex>& order,
                   const World& from, const std::vector<Instant>& instants, Each each) {
    World world = from;
    const judging::Timeline timeline{*this, from, instants, {}};
    for (const search::OpIndex op : order) {
      const Operation* operation = history[op].what;
      if (!operation) continue;
      if (!operation->unknown) each(*world.job, *operation);
      const std::vector<World> next = timeline.step(world, operation);
      if (next.empty()) break;
      world = next.front();
    }
    return *world.job;
  }

  // The triggers of an order that explains everything.
  void count(JobIndex index, const std::vector<Timed>& history, const search::Finding& found,
             const World& from, const std::vector<Instant>& instants) {
    retrace(history, found.order, from, instants,
            [&](const JobFacts& before, const Operation& operation) {
              JobFacts job = before;
              job.spoiled = false;
              facts->exchange(index, job);
              objections.clear();
              verdicts.set_trial(&objections);
              judge_part(operation, facts->job(index).id);
              verdicts.set_trial(nullptr);
              if (objections.empty()) judge_part(operation, facts->job(index).id);
              facts->exchange(index, job);
            });
  }

  void convict(JobIndex index, const std::vector<Timed>& history, const search::Finding& stuck,
               const World& from, const std::vector<Instant>& instants) {
    const JobFacts last =
        retrace(history, stuck.order, from, instants, [](const JobFacts&, const Operation&) {});
    std::vector<Finding> reasons;
    const auto try_one = [&](search::OpIndex op) {
      const Operation* operation = history[op].what;
      if (!operation || operation->unknown || !reasons.empty()) return;
      if (!answered(last, *operation)) reasons = objections;
    };
    if (stuck.stuck) try_one(*stuck.stuck);
    for (const search::OpIndex op : stuck.tried) try_one(op);
    if (reasons.empty()) {
      Finding net{"STATE-3", "no order of these calls explains their answers.", {}};
      for (const Timed& timed : history)
        if (timed.what) net.ops.push_back(timed.what->call->op);
      std::ranges::sort(net.ops);
      reasons.push_back(std::move(net));
    }
    for (const Finding& reason : reasons) verdicts.accept(reason, index);
    for (const std::size_t spoiled : verdicts.take_spoiled()) give_up(spoiled);
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
    state_->end(*end, true);
  } else {
    state_->facts->clock_moved();
  }
}

Judgement Judge::finish() { return state_->finish(); }

Judgement Judge::judge(const History& history) {
  for (const Event& event : history.events) {
    if (const auto* call = std::get_if<CallEvent>(&event))
      state_->begin(*call, nullptr);
    else if (const auto* end = std::get_if<ReturnEvent>(&event))
      state_->end(*end, false);
    else
      observe(event);
  }
  return finish();
}

Judgement judge(const History& history, std::span<const Property> properties) {
  return Judge(history.profile, properties).judge(history);
}

}  // namespace assay
