// How an answer becomes a fact.
#include <algorithm>

#include "harness/judge/detail/applier.h"

namespace assay {

JobFacts& Applier::create(const JobId& id, const NewJob& given, Change by) {
  JobFacts& job = facts.jobs_.add(id);
  const JobIndex index = job.index;
  job.born = job.changed_at = call.op;
  job.changed_by = by;
  job.given = given;
  job.created = {now, latest};
  job.born_began = began;
  job.born_ended = ended;
  job.not_before = given.run_at.value_or(now);
  job.surely_from = std::max(job.not_before, latest + profile.visibility_lag_max);
  job.run_at = given.run_at;
  job.delayed = given.run_at.has_value();
  std::int64_t start = given.attempts.value_or(profile.counter == Counter::attempt_no ? 1 : 0);
  job.counter = {start, start};
  QueueFacts& queue = facts.queue_named(given.queue);
  facts.standing_.push_back({queue.number, Facts::nowhere});
  job.paused_at_birth = queue.paused;
  ++queue.jobs;
  if (given.key && profile.idem != Idem::none) {
    facts.keys_[facts.key_scope(given)].push_back(index);
    facts.key_texts_.insert(*given.key);
  }
  facts.link(job);
  ++facts.changes_;
  return job;
}

void Applier::operator()(const Enqueue& request) {
  const auto* answer = std::get_if<Enqueued>(&end.response);
  if (!answer) return;
  if (JobFacts* known = find(answer->id)) {
    known->repeated.push_back(call.op);
    if (answer->existed)
      facts.asked_again_[request.job.queue].emplace_back(known->index, request.job);
    if (!answer->existed && !known->spoiled) facts.spoil(known->index);
    return;
  }
  JobFacts& job = create(answer->id, request.job, Change::enqueue);
  // It is of an earlier enqueue whose answer was lost: what that one gave is not known.
  if (answer->existed) facts.spoil(job.index);
}

void Applier::deliver(JobFacts& job, const Claim& claim, const Reserve& request) {
  bool again = job.phase == Phase::leased;
  bool waited_for_expiry = job.phase == Phase::waiting && job.cause == Cause::expiry;
  change(job, Change::claim, [&] {
    if (again) job.losses = {job.losses.lo + 1, job.losses.hi + 1};
    if (profile.counter == Counter::attempt_no)
      job.counter = {claim.job.attempts, claim.job.attempts};
    if (profile.counter == Counter::starts) job.counter.hi += 1;
    job.phase = Phase::leased;
    job.delayed = true;
    job.resumed = false;
    job.settled.reset();
    ClaimFact& made = job.claims.emplace_back();
    made.op = call.op;
    made.client = call.client;
    made.token = claim.token;
    made.attempt = claim.attempt;
    made.version = claim.version;
    made.worker = request.worker;
    made.claimed_at = now;
    made.first_expiry = made.expires_at = claim.expires_at;
    made.ended = ended;
    made.reclaimed = again || waited_for_expiry;
  });
  if (!trial || !claim.token.empty()) facts.tokens_.add(claim.token, job.index, call.op);
}

void Applier::died_of_expiry(JobFacts& job) {
  change(job, Change::expiry, [&] {
    job.died = {job.lease().expires_at, facts.by_any_clock(latest)};
    job.phase = Phase::dead;
    job.reason.reset();
    job.error.reset();
    job.recorded = true;
    job.last_error.reset();
  });
}

// What is left of a lease that ran out once a claim has looked at the queue.
void Applier::sweep(JobFacts& job) {
  if (facts.surely_exhausted(job)) {
    died_of_expiry(job);
  } else if (profile.expiry_counts == ExpiryCounts::yes && profile.expiry_to == ExpiryTo::backoff &&
             !facts.perhaps_exhausted(job)) {
    change(job, Change::expiry, [&] {
      Instant expiry = job.lease().expires_at;
      std::int64_t n = job.counter.hi;
      wait(job, Cause::expiry, expiry, facts.by_any_clock(latest) + facts.backoff_window(n),
           std::nullopt);
      if (profile.counter == Counter::attempt_no) job.counter = {n, n + 1};
      job.losses = {job.losses.lo + 1, job.losses.hi + 1};
      job.last_error.reset();
    });
  }
}

void Applier::sweep(const Reserve& request) {
  if (profile.expiry_counts == ExpiryCounts::no) return;
  for (const std::string& name :
       std::set<std::string>(request.queues.begin(), request.queues.end())) {
    auto at = facts.queues_.find(name);
    if (at == facts.queues_.end() || at->second.paused || at->second.unsure) continue;
    std::vector<JobIndex> over;
    for (const auto& [expiry, index] : at->second.leased) {
      if (!facts.lease_dead(expiry + profile.reclaim_lag_max, now)) break;
      if (!request.job_id || facts.jobs_[index].id == *request.job_id) over.push_back(index);
    }
    for (JobIndex index : over) sweep(facts.jobs_[index]);
  }
}

void Applier::operator()(const Reserve& request) {
  const auto* answer = std::get_if<Claims>(&end.response);
  if (!answer) return;
  for (const Claim& claim : answer->claims)
    if (JobFacts* job = find(claim.job.id)) deliver(*job, claim, request);
  if (alone && static_cast<std::int64_t>(answer->claims.size()) < request.max) sweep(request);
}

void Applier::operator()(const Extend& request) {
  const auto* answer = std::get_if<Extended>(&end.response);
  JobFacts* job = find(request.hold.job_id);
  if (!answer || !job || job->phase != Phase::leased) return;
  learn(*job, request.hold);
  change(*job, Change::extend, [&] {
    job->claims.back().expires_at = answer->expires_at;
    ++job->claims.back().extensions;
  });
}

// True where the call settles the lease; a repeat that was accepted changes nothing.
JobFacts* Applier::settles(const Hold& hold) {
  JobFacts* job = find(hold.job_id);
  if (!job) return nullptr;
  if (job->phase != Phase::leased) {
    job->repeated.push_back(call.op);
    return nullptr;
  }
  learn(*job, hold);
  return job;
}

// A token that was accepted is the holder's, also where the answer of its claim was lost.
void Applier::learn(JobFacts& job, const Hold& hold) {
  if (!job.lease().lost) return;
  job.lease().lost = false;
  job.lease().token = hold.token;
  job.lease().attempt = hold.attempt;
  if (!trial) facts.tokens_.add(hold.token, job.index, job.lease().op);
}

void Applier::operator()(const Ack& request) {
  if (JobFacts* job = settles(request.hold))
    change(*job, Change::ack, [&] {
      job->settled = SettleFact{call.op, Change::ack, request.hold.token};
      job->phase = Phase::done;
    });
}

void Applier::operator()(const Retry& request) {
  if (JobFacts* job = settles(request.hold))
    change(*job, Change::retry, [&] {
      job->settled = SettleFact{call.op, Change::retry, request.hold.token};
      job->counter = {request.attempts, request.attempts};
      job->last_error = request.error;
      wait(*job, Cause::failure, request.run_at, request.run_at, request.run_at);
    });
}

void Applier::die(JobFacts& job, std::optional<std::string> reason, std::string error) {
  job.phase = Phase::dead;
  job.reason = std::move(reason);
  job.error = error;
  job.last_error = std::move(error);
  job.died = {now, latest};
  job.recorded = true;
}

void Applier::operator()(const Fail& request) {
  if (JobFacts* job = settles(request.hold))
    change(*job, Change::fail, [&] {
      job->settled = SettleFact{call.op, Change::fail, request.hold.token};
      job->counter = {request.attempts, request.attempts};
      die(*job, request.reason, request.error);
    });
}

void Applier::draw(std::int64_t failure, Duration delay) {
  if (trial) return;
  Facts::Delays& delays = facts.delays_[failure];
  if (delays.drawn == 0) delays.first = delay;
  delays.blur = std::max(delays.blur, latest - now);
  delays.varied = delays.varied || delays.differs(delay, delays.blur);
  ++delays.drawn;
}

void Applier::operator()(const Nack& request) {
  const auto* answer = std::get_if<Nacked>(&end.response);
  JobFacts* job = answer ? settles(request.hold) : nullptr;
  if (!job) return;
  change(*job, Change::nack, [&] {
    job->settled = SettleFact{call.op, Change::nack, request.hold.token};
    std::int64_t n = job->counter.hi, least = job->counter.lo;
    bool counts_starts = profile.counter == Counter::starts;  // so a failure changes nothing
    if (answer->state == JobState::dead) {
      // Some count the failure that ends the job, some only those that lead to a retry.
      if (!counts_starts)
        job->counter = {profile.counter == Counter::failures ? least + 1 : least,
                        profile.counter == Counter::attempt_no ? n : n + 1};
      die(*job, std::nullopt, request.error);
      return;
    }
    if (!counts_starts)
      job->counter = {profile.counter == Counter::attempt_no ? least : least + 1, n + 1};
    job->last_error = request.error;
    draw(failures_of(n), answer->run_at.value_or(now) - now);
    wait(*job, Cause::failure, answer->run_at.value_or(now), answer->run_at.value_or(latest),
         answer->run_at);
  });
}

void Applier::operator()(const Cancel& request) {
  const auto* answer = std::get_if<Cancelled>(&end.response);
  JobFacts* job = find(request.job_id);
  if (!answer || !job) return;
  if (answer->state != JobState::cancelled || job->phase == Phase::cancelled) {
    job->repeated.push_back(call.op);
    return;
  }
  change(*job, Change::cancel, [&] {
    job->counter = facts.shown_counter(*job, latest);
    job->cancelled_waiting = job->phase == Phase::waiting;
    if (job->cancelled_waiting) ++facts.queue_of(*job).fresh_cancelled;
    job->phase = Phase::cancelled;
  });
}

void Applier::operator()(const Pause& request) {
  QueueFacts& queue = facts.queue_named(request.queue);
  queue.unsure = !alone || queue.perhaps_switched;
  if (queue.paused) return;
  queue.paused = true;
  queue.paused_since = ended;
  queue.paused_by = call.op;
  queue.paused_at = latest;
}

void Applier::operator()(const Resume& request) {
  QueueFacts& queue = facts.queue_named(request.queue);
  if (queue.paused)
    for (JobIndex index : queue.members[static_cast<std::size_t>(Phase::waiting)])
      facts.jobs_[index].resumed = true;
  queue.paused = false;
  queue.unsure = !alone || queue.perhaps_switched;
}

void Applier::operator()(const Requeue& request) {
  const auto* answer = std::get_if<Requeued>(&end.response);
  JobFacts* job = find(request.job_id);
  // A replay of a job that is not known makes another.
  if (answer && !job) facts.unknown_ids_.insert(answer->job_id);
  if (!answer || !job) return;
  if (profile.replay == Replay::fresh_job) {
    NewJob given = job->given;
    given.id.reset();
    given.attempts.reset();
    given.run_at = request.run_at;
    if (job->phase == Phase::leased) died_of_expiry(*job);
    job->recorded = false;
    job->replayed = true;
    if (!find(answer->job_id)) {
      JobFacts& fresh = create(answer->job_id, given, Change::requeue);
      facts.unlink(fresh);
      fresh.cause = Cause::requeue;
      fresh.delayed = true;
      facts.link(fresh);
      if (job->spoiled) facts.spoil(fresh.index);
    }
    return;
  }
  change(*job, Change::requeue, [&] {
    Instant from = request.run_at.value_or(now);
    job->counter_reset = request.reset_attempts;
    if (request.reset_attempts) {
      std::int64_t start = profile.counter == Counter::attempt_no ? 1 : 0;
      job->counter = {start, start};
    }
    job->losses.lo = 0;  // nothing is said of lease losses: a requeue may forgive them
    if (request.reset_attempts) job->losses.hi = 0;
    job->settled.reset();
    job->recorded = false;
    wait(*job, Cause::requeue, from, std::max(from, latest), request.run_at);
  });
}

static const JobId* subject_of(const Request& request) {
  if (const auto* r = std::get_if<Extend>(&request)) return &r->hold.job_id;
  if (const auto* r = std::get_if<Ack>(&request)) return &r->hold.job_id;
  if (const auto* r = std::get_if<Retry>(&request)) return &r->hold.job_id;
  if (const auto* r = std::get_if<Fail>(&request)) return &r->hold.job_id;
  if (const auto* r = std::get_if<Nack>(&request)) return &r->hold.job_id;
  if (const auto* r = std::get_if<Cancel>(&request)) return &r->job_id;
  if (const auto* r = std::get_if<Requeue>(&request)) return &r->job_id;
  return nullptr;
}

// Requires: the outcome is known; what was lost is for perhaps() and lose().
void Facts::apply(const CallEvent& call, const ReturnEvent& end, bool alone, Place began,
                  Place ended) {
  if (!start_) start_ = call.now;
  if (end.outcome == OutcomeKind::ok) {
    Applier applier{.facts = *this, .call = call, .end = end};
    applier.alone = alone;
    applier.began = began;
    applier.ended = ended;
    std::visit(applier, call.request);
    return;
  }
  if (end.outcome == OutcomeKind::unknown) return;
  const JobId* subject = subject_of(call.request);
  JobFacts* const job = subject ? jobs_.job(*subject) : nullptr;
  if (!job) return;
  job->refused.push_back(call.op);
  if (std::holds_alternative<Requeue>(call.request) && job->recorded) job->replay_refused = true;
}

void Facts::apply_to(const CallEvent& call, const ReturnEvent& end, JobIndex index, bool trial,
                     Place ended) {
  Applier applier{.facts = *this, .call = call, .end = end};
  applier.alone = false;
  applier.trial = trial;
  applier.ended = ended;
  JobFacts& job = jobs_[index];
  if (const auto* claims = std::get_if<Claims>(&end.response);
      claims && end.outcome == OutcomeKind::ok) {
    for (const Claim& claim : claims->claims)
      if (claim.job.id == job.id) applier.deliver(job, claim, std::get<Reserve>(call.request));
  } else if (const auto* page = std::get_if<JobPage>(&end.response);
             page && end.outcome == OutcomeKind::ok) {
    for (const Job& shown : page->jobs)
      if (shown.id == job.id) applier.resolve(job, shown);
  } else if (end.outcome == OutcomeKind::ok) {
    std::visit(applier, call.request);
  } else {
    apply(call, end, false);
  }
}

}  // namespace assay
