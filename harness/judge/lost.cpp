// What a call that nobody knows the end of may have done.
#include <algorithm>

#include "harness/judge/detail/applier.h"
#include "harness/judge/reading.h"

namespace assay {

// What a call on no job in particular may have done.
void Facts::lose(const CallEvent& call) {
  if (!start_) start_ = call.now;
  if (const auto* r = std::get_if<Enqueue>(&call.request)) perhaps_enqueued(r->job);
  // Who was handed what is not known; a look at each job tells.
  if (const auto* r = std::get_if<Reserve>(&call.request))
    for (const std::string& name : r->queues) queue_named(name).perhaps_claimed = true;
  if (const auto* r = std::get_if<Requeue>(&call.request);
      r && profile_.replay == Replay::fresh_job) {
    const JobFacts* job = find(r->job_id);
    NewJob fresh = job ? job->given : NewJob{};
    fresh.id.reset();
    perhaps_enqueued(fresh);
  }
  const std::string* queue = nullptr;
  if (const auto* r = std::get_if<Pause>(&call.request)) queue = &r->queue;
  if (const auto* r = std::get_if<Resume>(&call.request)) queue = &r->queue;
  if (queue) queue_named(*queue).unsure = queue_named(*queue).perhaps_switched = true;
  if (std::holds_alternative<List>(call.request) || std::holds_alternative<Dead>(call.request))
    ++unknown_pages_;
  if (std::holds_alternative<Close>(call.request)) clients_[call.client].perhaps_closed = true;
}

void Facts::perhaps_enqueued(const NewJob& job) {
  ++unknown_enqueues_;
  if (job.id)
    unknown_ids_.insert(*job.id);
  else
    ++unknown_names_;
  if (job.key) unknown_keys_.insert(key_scope(job));
}

namespace {

// Whether the store would have let the call through.
bool passes_fence(const Facts& facts, const JobFacts& job, const Hold& hold, Change kind,
                  Instant at) {
  if (job.phase != Phase::leased) return false;
  const Profile& profile = facts.profile();
  if (profile.fence == Fence::none || profile.late_settle == LateSettle::unfenced) return true;
  const Standing standing = standing_of(facts, job, hold, kind, at, true).standing;
  return standing == Standing::current ||
         (standing == Standing::lapsed && profile.late_settle != LateSettle::reject);
}

bool could_claim(const Facts& facts, const JobFacts& job, const Reserve& request, Instant at) {
  if (request.job_id && *request.job_id != job.id) return false;
  if (std::ranges::find(request.queues, job.given.queue) == request.queues.end()) return false;
  if (job.phase == Phase::waiting) return job.not_before <= at;
  return facts.lapsed(job, at) && !facts.surely_exhausted(job);
}

}  // namespace

std::vector<JobFacts> Facts::perhaps(const CallEvent& call, JobIndex index, Instant at) {
  const JobFacts before = jobs_[index];
  std::vector<JobFacts> outcomes;
  ReturnEvent end{call.op, OutcomeKind::ok, Done{}, {}};
  const auto after = [&](Response response, auto edit) {
    end.response = std::move(response);
    Applier applier{.facts = *this, .call = call, .end = end};
    applier.now = applier.latest = at;
    applier.alone = false;
    applier.trial = true;
    JobFacts& job = jobs_[index];
    job.spoiled = true;  // so that it is in no set of its queue, whatever is edited
    edit(applier, job);
    job.spoiled = false;
    outcomes.push_back(std::exchange(job, before));
  };
  const auto plainly = [&](Applier& applier, JobFacts&) { std::visit(applier, call.request); };

  Change kind{};
  const Hold* hold = hold_of(call.request, kind);
  if (hold && (hold->job_id != before.id || !passes_fence(*this, before, *hold, kind, at)))
    return outcomes;
  if (const auto* r = std::get_if<Extend>(&call.request)) {
    if (profile_.late_settle == LateSettle::reject && lapsed(before, at)) return outcomes;
    after(Extended{std::max(before.lease().expires_at, at + r->lease)}, plainly);
  } else if (std::holds_alternative<Nack>(call.request)) {
    after(Nacked{JobState::dead, std::nullopt}, [&](Applier& applier, JobFacts& job) {
      plainly(applier, job);
      job.counter.lo = before.counter.lo;
      job.died = {call.now, at};
    });
    after(Nacked{JobState::scheduled, at}, [&](Applier& applier, JobFacts& job) {
      plainly(applier, job);
      job.counter.lo = before.counter.lo;
      job.not_before = call.now;
      job.surely_from = at + backoff_window(before.counter.hi + 1);
      job.run_at.reset();
    });
  } else if (hold) {
    after(Done{}, [&](Applier& applier, JobFacts& job) {
      plainly(applier, job);
      job.died.lo = std::min(job.died.lo, call.now);
    });
  } else if (const auto* cancel = std::get_if<Cancel>(&call.request)) {
    if (cancel->job_id == before.id &&
        (before.phase == Phase::waiting || before.phase == Phase::leased))
      after(Cancelled{}, plainly);
  } else if (const auto* requeue = std::get_if<Requeue>(&call.request)) {
    const bool may_be_dead =
        before.phase == Phase::dead || (lapsed(before, at) && perhaps_exhausted(before));
    if (requeue->job_id != before.id || !may_be_dead) return outcomes;
    if (profile_.replay == Replay::fresh_job)
      after(Done{}, [&](Applier& applier, JobFacts& job) {
        if (job.phase == Phase::leased) applier.died_of_expiry(job);
        job.recorded = false;
        job.replayed = true;
      });
    else
      after(Requeued{before.id}, [&](Applier& applier, JobFacts& job) {
        plainly(applier, job);
        if (!requeue->run_at) job.not_before = call.now;
      });
  } else if (const auto* reserve = std::get_if<Reserve>(&call.request)) {
    if (!could_claim(*this, before, *reserve, at)) return outcomes;
    // A call takes effect once.
    if (std::ranges::find(before.claims, call.op, &ClaimFact::op) != before.claims.end())
      return outcomes;
    // The token is known to nobody.
    Claim claim;
    claim.job.attempts = before.counter.hi;
    claim.expires_at = at + reserve->lease;
    after(Claims{}, [&](Applier& applier, JobFacts& job) {
      applier.deliver(job, claim, *reserve);
      if (before.phase == Phase::leased && profile_.counter == Counter::attempt_no)
        job.counter.hi = before.counter.hi + 1;
      job.counter.lo = before.counter.lo;
      job.lease().guessed = job.lease().lost = true;
    });
  }
  return outcomes;
}

}  // namespace assay
