#include "harness/judge/detail/explanation.h"

#include <algorithm>

#include "harness/judge/detail/instants.h"
#include "harness/judge/reading.h"

namespace assay::judging {

static constexpr std::size_t worlds_at_most = 32;
static constexpr std::size_t lost_claims_at_most = 16;
static constexpr std::size_t clocks_at_most = 64;
static constexpr std::uint64_t steps_at_most = 20'000;

// --- what was lost ---

void Explanation::saw_clock(Instant now) {
  facts_.saw_clock(now);
  if (!clocks_.empty() && clocks_.back() == now) return;
  if (clocks_.size() == clocks_at_most) {
    forgotten_ = std::max(forgotten_.value_or(clocks_.front()), clocks_.front());
    clocks_.erase(clocks_.begin());
  }
  clocks_.push_back(now);
}

void Explanation::lose(const Operation& operation) {
  facts_.lose(*operation.call);
  const auto* reserve = std::get_if<Reserve>(&operation.call->request);
  if (!reserve) return;
  // Those that are too many still excuse what they may have done: see beyond_bounds.
  const Operation* claim = nullptr;
  for (const std::string& queue : reserve->queues) {
    LostClaims& claims = lost_claims_[queue];
    claims.too_many |= claims.kept.size() == lost_claims_at_most;
    if (claims.too_many) continue;
    if (!claim) claim = keep(operation);
    claims.kept.push_back(claim);
  }
}

// A copy, for as long as it may matter.
const Operation* Explanation::keep(const Operation& operation) {
  auto copy = std::make_unique<Operation>();
  copy->kept_call = *operation.call;
  copy->kept_end = *operation.end;
  copy->call = &copy->kept_call;
  copy->end = &copy->kept_end;
  copy->began = operation.began;
  copy->ended = operation.ended;
  copy->unknown = true;
  lost_.push_back(std::move(copy));
  return lost_.back().get();
}

bool Explanation::is_clouded(std::string_view id) const {
  if (is_certain()) return false;
  const JobFacts* job = facts_.find(id);
  return job && (clouds_.contains(job->index) || lost_claims_.contains(job->given.queue));
}

// --- one step ---

// Jobs whose leases are disputed are given up before anything is said of them.
void Explanation::give_up_disputed(const Operation& operation) {
  const auto look = [&](std::string_view id) {
    const JobFacts* job = facts_.find(id);
    if (job && !job->spoiled && facts_.is_disputed(*job, operation.now())) give_up(job->index);
  };
  Change kind{};
  if (const Hold* hold = hold_of(operation.call->request, kind)) look(hold->job_id);
  if (const auto* get = std::get_if<Get>(&operation.call->request)) look(get->job_id);
  if (const auto* cancel = std::get_if<Cancel>(&operation.call->request)) look(cancel->job_id);
  if (const auto* requeue = std::get_if<Requeue>(&operation.call->request)) look(requeue->job_id);
  if (operation.unknown || operation.end->outcome != OutcomeKind::ok) return;
  if (const auto* claims = std::get_if<Claims>(&operation.end->response))
    for (const Claim& claim : claims->claims) look(claim.job.id);
  if (const auto* page = std::get_if<JobPage>(&operation.end->response))
    for (const Job& shown : page->jobs) look(shown.id);
  if (const auto* page = std::get_if<DeadPage>(&operation.end->response))
    for (const DeadEntry& shown : page->entries) look(shown.job_id);
}

// A lease that this very call grants is over by somebody's clock already.
bool Explanation::grants_disputed(const Operation& operation, std::string_view id) const {
  if (operation.unknown || operation.end->outcome != OutcomeKind::ok) return false;
  const auto is_disputed = [&](Instant expires_at) {
    return !facts_.lease_dead(expires_at, operation.now()) &&
           facts_.lease_dead(expires_at, facts_.by_any_clock(operation.now()));
  };
  if (const auto* extended = std::get_if<Extended>(&operation.end->response))
    return is_disputed(extended->expires_at);
  const auto* claims = std::get_if<Claims>(&operation.end->response);
  return claims && std::ranges::any_of(claims->claims, [&](const Claim& claim) {
           return claim.job.id == id && is_disputed(claim.expires_at);
         });
}

void Explanation::judge_whole(const Operation& operation, bool alone) {
  if (facts_.clocks_differ()) give_up_disputed(operation);
  for (const std::size_t index : examiner_.whole(operation, alone))
    give_up(static_cast<JobIndex>(index));
  if (alone && !is_certain() && examiner_.finds_nothing(operation)) miss(operation);
}

// Of jobs whose state is certain the facts tell whether they were missed. Others may have been
// taken by a call that was lost: then something of that shows, sooner or later.
void Explanation::miss(const Operation& claim) {
  const auto& request = std::get<Reserve>(claim.call->request);
  const auto is_asked_for = [&](JobIndex index) {
    return !request.job_id || *request.job_id == facts_.job(index).id;
  };
  const std::vector<const Operation*> group{&claim};
  for (const std::string& queue : request.queues) {
    std::vector<JobIndex> doubtful;
    if (const auto found = doubtful_.find(queue); found != doubtful_.end())
      for (const auto& [from, index] : found->second) {
        if (from > claim.now()) break;
        if (is_asked_for(index)) doubtful.push_back(index);
      }
    for (const JobIndex index : doubtful) search(index, group, Cloud(clouds_.at(index)));
    if (!lost_claims_.contains(queue)) continue;
    for (const JobIndex index : facts_.all_runnable(queue, claim.now()))
      if (is_asked_for(index))
        search(index, group,
               {{{std::make_shared<const JobFacts>(facts_.job(index)), Instant{}}}, {}});
  }
}

// Whether the answer breaks a rule, with the facts as they are.
bool Explanation::objects(const Operation& operation, std::string_view id) {
  objections_.clear();
  verdicts_.set_trial(&objections_);
  examiner_.part(operation, id);
  verdicts_.set_trial(nullptr);
  return !objections_.empty();
}

std::optional<JobFacts> Explanation::answered(const JobFacts& before, const Operation& operation) {
  JobFacts job = before;
  job.spoiled = false;
  const JobIndex index = job.index;
  facts_.exchange(index, job);
  const bool wrong = objects(operation, before.id);
  if (!wrong && !examiner_.finds_nothing(operation))
    facts_.apply_to(*operation.call, *operation.end, index, true, operation.ended);
  facts_.exchange(index, job);
  if (wrong) return std::nullopt;
  return job;
}

std::vector<JobFacts> Explanation::perhaps(const JobFacts& before, const Operation& operation,
                                           Instant at) {
  JobFacts job = before;
  job.spoiled = false;
  const JobIndex index = job.index;
  facts_.exchange(index, job);
  std::vector<JobFacts> after = facts_.perhaps(*operation.call, index, at);
  facts_.exchange(index, job);
  return after;
}

// --- what makes the job comes first ---

// False where nobody makes it.
bool Explanation::make_job(std::string_view id, const std::vector<Operation*>& group, Place place) {
  if (facts_.find(id)) {
    for (Operation* operation : group)
      if (operation->makes(id)) operation->part(id)->judged = true;
    return true;
  }
  for (Operation* operation : group) {
    if (!operation->makes(id) || operation->judged) continue;
    make_with(*operation, id, group, place);
    return facts_.find(id) != nullptr;
  }
  return false;
}

void Explanation::make_with(Operation& operation, std::string_view id,
                            const std::vector<Operation*>& group, Place place) {
  // Whatever ended before it began met no such job.
  for (Operation* before : group)
    if (before->ended < operation.began && !before->judged && !before->unknown) {
      judge_whole(*before, false);
      before->judged = before->part(id)->judged = true;
    }
  if (const auto* requeue = std::get_if<Requeue>(&operation.call->request)) {
    if (const auto* old = operation.part(requeue->job_id); old && !old->judged)
      if (const auto before = window_.together(requeue->job_id))
        explain(requeue->job_id, *before, place);
  }
  if (!operation.judged && !facts_.find(id)) {
    judge_whole(operation, false);
    operation.judged = true;
  }
  for (Part& part : operation.parts) part.judged = true;
  // A look that overlapped it may have come before there was anything to see.
  for (Operation* look : group)
    if (!look->unknown && look->end->outcome == OutcomeKind::refused &&
        look->end->error.code == ErrorCode::not_found && look->began < operation.ended &&
        std::ranges::none_of(group, [&](const Operation* other) {
          return other != look && !other->unknown && other->ended < look->began &&
                 other->end->outcome == OutcomeKind::ok;
        }))
      look->part(id)->judged = look->judged = true;
}

// --- an order that explains the others ---

void Explanation::explain(std::string_view id, std::vector<Operation*> group, Place place) {
  if (!make_job(id, group, place)) {
    for (Operation* operation : group)
      if (operation->unknown) operation->part(id)->judged = true;
    return;
  }
  const JobIndex index = facts_.find(id)->index;
  if (facts_.clocks_differ())
    for (const Operation* operation : group) {
      give_up_disputed(*operation);
      if (!facts_.job(index).spoiled && grants_disputed(*operation, id)) give_up(index);
    }
  std::erase_if(group, [&](Operation* operation) { return operation->part(id)->judged; });
  for (Operation* operation : group) operation->part(id)->judged = true;
  const auto cloud = clouds_.find(index);
  if (facts_.job(index).spoiled && cloud == clouds_.end()) return take_in_spoiled(index, group);
  const Place last = group.empty() ? place : group.back()->ended;
  if (group.size() == 1 && explain_at_once(index, *group.front()))
    return facts_.touched(index, last);
  Cloud before;
  if (cloud != clouds_.end())
    before = cloud->second;
  else
    before.worlds.push_back({std::make_shared<const JobFacts>(facts_.job(index)), Instant{}});
  search(index, {group.begin(), group.end()}, before);
  facts_.touched(index, last);
}

// Nothing is concluded from it any more, but whose token is whose.
void Explanation::take_in_spoiled(JobIndex index, const std::vector<Operation*>& group) {
  for (const Operation* operation : group)
    if (!operation->unknown)
      facts_.apply_to(*operation->call, *operation->end, index, false, operation->ended);
}

// One call on a job whose state is certain has one order: no search is needed. False where it is
// not so simple, or where the answer is wrong.
bool Explanation::explain_at_once(JobIndex index, const Operation& operation) {
  const JobFacts& job = facts_.job(index);
  if (operation.unknown || clouds_.contains(index) || lost_claims_.contains(job.given.queue))
    return false;
  if (objects(operation, job.id)) return false;
  examiner_.part(operation, job.id);
  facts_.apply_to(*operation.call, *operation.end, index, true, operation.ended);
  facts_.settle(index);
  return true;
}

Explanation::Timed Explanation::timed(const Operation* operation) {
  return {operation, static_cast<std::int64_t>(operation->began),
          static_cast<std::int64_t>(operation->ended), operation->unknown};
}

Explanation::Question Explanation::ask(JobIndex index, const std::vector<const Operation*>& group,
                                       const Cloud& before) {
  Question question{index, {}, {}};
  for (const Operation* operation : group) {
    question.history.push_back(timed(operation));
    question.instants.push_back(operation->now());
    if (is_blurred(facts_, *operation))
      question.instants.push_back(facts_.latest(*operation->call, *operation->end));
  }
  for (const Operation* lost_one : before.lost) question.history.push_back(timed(lost_one));
  if (const auto at = lost_claims_.find(facts_.job(index).given.queue); at != lost_claims_.end())
    for (const Operation* claim : at->second.kept) question.history.push_back(timed(claim));
  // A call that was lost may have been late: whenever the clock was read since.
  if (std::ranges::any_of(question.history, &Timed::unknown)) {
    if (facts_.clock_runs())
      add_instants_between(question, before);
    else
      question.instants.insert(question.instants.end(), clocks_.begin(), clocks_.end());
  }
  question.history.push_back({nullptr, INT64_MAX, INT64_MAX, false});
  std::ranges::sort(question.instants);
  question.instants.erase(std::ranges::unique(question.instants).begin(), question.instants.end());
  return question;
}

void Explanation::search(JobIndex index, const std::vector<const Operation*>& given,
                         const Cloud& before) {
  Cloud after;
  std::vector<const Operation*> group = given;
  for (const Operation*& operation : group)
    if (operation->unknown) after.lost.push_back(operation = keep(*operation));
  after.lost.insert(after.lost.end(), before.lost.begin(), before.lost.end());
  const Question question = ask(index, group, before);

  // Where the clock runs, there are many instants to try at each step.
  std::uint64_t steps =
      facts_.clock_runs() ? steps_at_most / question.instants.size() : steps_at_most;
  std::vector<World> ends;
  std::optional<search::Finding> first, stuck;
  World first_from, stuck_from;
  for (const World& world : before.worlds) {
    while (ends.size() <= worlds_at_most) {
      const Timeline timeline{*this, world, question.instants, ends};
      search::Limits limits;
      limits.max_steps = std::min(steps, steps_left_);
      search::Finding found =
          search::explain(timeline, std::span<const Timed>(question.history), limits);
      steps_left_ -= std::min(steps_left_, found.steps);
      if (found.answer == search::Answer::undecided) return lose_track(index);
      if (facts_.clock_runs()) steps -= found.steps;
      if (found.answer == search::Answer::impossible) {
        if (!stuck || found.order.size() > stuck->order.size()) stuck = found, stuck_from = world;
        break;
      }
      ends.push_back(timeline.end);
      if (!first) first = std::move(found), first_from = world;
    }
  }
  if (ends.size() > worlds_at_most) return lose_track(index);
  if (ends.empty() && beyond_bounds(question)) return lose_track(index);
  if (ends.empty()) {
    const bool missed_it = before.missed && is_to_blame(*before.missed, index, group);
    if (missed_it) return convict(*before.missed, question);
    return convict(question, *stuck, stuck_from, before.worlds);
  }
  after.missed = missed(group, before);
  if (is_caught(question)) verdicts_.triggered("DUR-4");
  count(question, *first, first_from);
  std::erase_if(after.lost, [&](const Operation* call) {
    return std::ranges::none_of(
        ends, [&](const World& world) { return may_matter(facts_, *world.job, *call); });
  });
  after.worlds = std::move(ends);
  settle(index, std::move(after));
}

// Whether a store that went away met one of the calls, and somebody has looked since.
bool Explanation::is_caught(const Question& question) const {
  bool is = false, looked = false;
  for (const Timed& timed : question.history) {
    if (!timed.what) continue;
    is |= timed.unknown && facts_.was_caught(timed.what->call->op);
    looked |= !timed.unknown && timed.what->began > facts_.store_returned();
  }
  return is && looked;
}

// What the claim, if it is one, would have missed if nothing that was lost had happened before.
std::shared_ptr<const Miss> Explanation::missed(const std::vector<const Operation*>& group,
                                                const Cloud& before) {
  if (group.size() != 1 || !examiner_.finds_nothing(*group.front())) return nullptr;
  if (before.missed) return before.missed;
  for (const World& world : before.worlds)
    if (!answered(*world.job, *group.front()))
      return std::make_shared<const Miss>(Miss{objections_, before.worlds, before.lost});
  return nullptr;
}

// Whether all would be well without that claim.
bool Explanation::is_to_blame(const Miss& miss, JobIndex index,
                              const std::vector<const Operation*>& group) {
  const Question question = ask(index, group, {miss.worlds, miss.lost});
  for (const World& world : miss.worlds) {
    search::Limits limits;
    limits.max_steps = std::min(steps_at_most, steps_left_);
    const search::Finding found = search::explain(Timeline{*this, world, question.instants, {}},
                                                  std::span<const Timed>(question.history), limits);
    steps_left_ -= std::min(steps_left_, found.steps);
    if (found.answer == search::Answer::explained) return true;
  }
  return false;
}

// Nor need anybody have read a clock that runs when it took effect: all that matters is what came
// before it and after it.
void Explanation::add_instants_between(Question& question, const Cloud& before) const {
  std::vector<Instant>& instants = question.instants;
  instants.push_back(clocks_.back());
  for (const World& world : before.worlds) {
    instants.push_back(world.job->not_before);
    if (!world.job->claims.empty()) instants.push_back(world.job->lease().expires_at);
  }
  for (const Timed& timed : question.history)
    if (timed.what) add_ends_given(*timed.what, facts_.job(question.index).id, instants);
  const std::vector<Instant> shown = instants;
  add_instants_before(shown, Duration{0}, instants);
  for (const Timed& timed : question.history) {
    if (!timed.unknown) continue;
    if (const auto* reserve = std::get_if<Reserve>(&timed.what->call->request))
      add_instants_before(shown, reserve->lease, instants);
    if (const auto* extend = std::get_if<Extend>(&timed.what->call->request))
      add_instants_before(shown, extend->lease, instants);
  }
}

// Whether what was lost may have done more than was tried.
bool Explanation::beyond_bounds(const Question& question) const {
  const auto claims = lost_claims_.find(facts_.job(question.index).given.queue);
  if (claims != lost_claims_.end() && claims->second.too_many) return true;
  return !facts_.clock_runs() && forgotten_ &&
         std::ranges::any_of(question.history, [&](const Timed& timed) {
           return timed.unknown && timed.what->now() <= *forgotten_;
         });
}

void Explanation::settle(JobIndex index, Cloud after) {
  forget(index);
  if (after.worlds.size() == 1 && after.lost.empty() && !after.missed) {
    facts_.settle(index, *after.worlds.front().job);
    return;
  }
  for (const World& world : after.worlds)
    if (const auto from = facts_.runnable_from(*world.job))
      after.runnable_from = std::min(after.runnable_from.value_or(*from), *from);
  if (after.runnable_from)
    doubtful_[facts_.job(index).given.queue].insert({*after.runnable_from, index});
  facts_.spoil(index);
  clouds_[index] = std::move(after);
}

void Explanation::forget(JobIndex index) {
  const auto cloud = clouds_.find(index);
  if (cloud == clouds_.end()) return;
  if (cloud->second.runnable_from)
    doubtful_[facts_.job(index).given.queue].erase({*cloud->second.runnable_from, index});
  clouds_.erase(cloud);
}

void Explanation::give_up(JobIndex index) {
  forget(index);
  facts_.spoil(index);
}

void Explanation::lose_track(JobIndex index) {
  ++undecided_;
  give_up(index);
}

// --- what an order shows ---

// Goes through an order once more and calls `each` with the job as it was before each answer.
template <class Each>
JobFacts Explanation::retrace(const Question& question, const std::vector<search::OpIndex>& order,
                              const World& from, Each each) {
  World world = from;
  const Timeline timeline{*this, from, question.instants, {}};
  for (const search::OpIndex op : order) {
    const Operation* operation = question.history[op].what;
    if (!operation) continue;
    if (!operation->unknown) each(*world.job, *operation);
    const std::vector<World> next = timeline.step(world, operation);
    if (next.empty()) break;
    world = next.front();
  }
  return *world.job;
}

// The triggers of an order that explains everything.
void Explanation::count(const Question& question, const search::Finding& found, const World& from) {
  retrace(question, found.order, from, [&](const JobFacts& before, const Operation& operation) {
    JobFacts job = before;
    job.spoiled = false;
    facts_.exchange(question.index, job);
    if (!objects(operation, before.id)) examiner_.part(operation, before.id);
    facts_.exchange(question.index, job);
  });
}

// The fewest calls that no order explains, whatever state the job was in before them.
std::vector<OpId> Explanation::contradiction(const Question& question,
                                             const std::vector<World>& worlds) {
  std::vector<OpId> ops;
  for (const World& world : worlds) {
    const Timeline timeline{*this, world, question.instants, {}};
    search::Limits limits;
    limits.max_steps = steps_at_most;
    const search::Core core =
        search::core(timeline, std::span<const Timed>(question.history), limits);
    if (!core.minimal) return {};
    for (const search::OpIndex op : core.operations)
      if (const Operation* operation = question.history[op].what)
        ops.push_back(operation->call->op);
  }
  std::ranges::sort(ops);
  ops.erase(std::ranges::unique(ops).begin(), ops.end());
  return ops;
}

// "steps 3, 4 and 7"
static std::string told(const std::vector<OpId>& ops) {
  std::string text = ops.size() == 1 ? "step " : "steps ";
  for (std::size_t i = 0; i < ops.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ops.size() ? " and " : ", ") + std::to_string(ops[i] + 1);
  return text;
}

void Explanation::convict(const Question& question, const search::Finding& stuck, const World& from,
                          const std::vector<World>& worlds) {
  const JobFacts last =
      retrace(question, stuck.order, from, [](const JobFacts&, const Operation&) {});
  std::vector<Finding> reasons;
  const auto try_one = [&](search::OpIndex op) {
    const Operation* operation = question.history[op].what;
    if (!operation || operation->unknown || !reasons.empty()) return;
    if (!answered(last, *operation)) reasons = objections_;
  };
  if (stuck.stuck) try_one(*stuck.stuck);
  for (const search::OpIndex op : stuck.tried) try_one(op);
  const std::vector<OpId> ops =
      verdicts_.keeps_more() ? contradiction(question, worlds) : std::vector<OpId>();
  const std::string net = ops.empty() ? "no order of these calls explains their answers."
                                      : "no order of " + told(ops) + " explains " +
                                            (ops.size() == 1 ? "its answer." : "their answers.");
  if (reasons.empty()) {
    reasons.push_back({"STATE-3", net, ops});
    if (ops.empty())
      for (const Timed& timed : question.history)
        if (timed.what) reasons.front().ops.push_back(timed.what->call->op);
    std::ranges::sort(reasons.front().ops);
  } else if (ops.size() > 1) {
    // Another order might look better at first, but none does in the end.
    for (Finding& reason : reasons) {
      std::string sentence = net;
      sentence.front() = 'N';
      reason.story += " " + sentence;
    }
  }
  if (is_caught(question)) {
    reasons.push_back(reasons.front());
    reasons.back().rule = "DUR-4";
  }
  accept(reasons, question.index);
}

void Explanation::convict(const Miss& miss, const Question& question) {
  std::vector<OpId> lost, shown;
  for (const Operation* operation : miss.lost) lost.push_back(operation->call->op);
  for (const Timed& timed : question.history)
    if (timed.what) (timed.unknown ? lost : shown).push_back(timed.what->call->op);
  std::ranges::sort(lost);
  lost.erase(std::ranges::unique(lost).begin(), lost.end());
  std::ranges::sort(shown);
  std::vector<Finding> reasons = miss.objections;
  for (Finding& reason : reasons) {
    reason.at = reason.at.value_or(reason.ops.back());
    reason.story += " What was lost in " + told(lost) +
                    " would excuse that if it had taken effect before, but " + told(shown) +
                    (shown.size() == 1 ? " shows" : " show") + " that it had not.";
    reason.ops.insert(reason.ops.end(), lost.begin(), lost.end());
    reason.ops.insert(reason.ops.end(), shown.begin(), shown.end());
    std::ranges::sort(reason.ops);
    reason.ops.erase(std::ranges::unique(reason.ops).begin(), reason.ops.end());
  }
  if (is_caught(question)) {
    reasons.push_back(reasons.front());
    reasons.back().rule = "DUR-4";
  }
  accept(reasons, question.index);
}

void Explanation::accept(const std::vector<Finding>& reasons, JobIndex index) {
  for (const Finding& reason : reasons) verdicts_.accept(reason, index);
  for (const std::size_t spoiled : verdicts_.take_spoiled())
    give_up(static_cast<JobIndex>(spoiled));
}

}  // namespace assay::judging
