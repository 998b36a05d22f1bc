// How an answer becomes a fact.
#include <algorithm>

#include "harness/judge/facts.h"

namespace assay {

bool continues(const Walk& walk, const std::string& queue, std::optional<JobState> state,
               const std::optional<std::string>& cursor) {
  return walk.going && cursor && cursor == walk.cursor && walk.queue == queue &&
         walk.state == state;
}

// One operation being taken in. Only what was answered counts; what a call asked for is no fact.
struct Applier {
  Facts& facts;
  const CallEvent& call;
  const ReturnEvent& end;
  const Profile& profile = facts.profile_;
  Instant now = call.now;

  ClientFacts& client() { return facts.clients_[call.client]; }

  JobFacts* find(const JobId& id) {
    auto at = facts.by_id_.find(id);
    return at == facts.by_id_.end() ? nullptr : &facts.jobs_[at->second];
  }

  template <class Change_>
  void change(JobFacts& job, Change by, Change_ edit) {
    facts.unlink(job);
    if (facts.lapsed(job, now)) job.last_error.reset();  // the store may have noted the expiry
    edit();
    job.changed_by = by;
    job.changed_at = call.op;
    job.refused.clear();
    job.repeated.clear();
    facts.link(job);
    ++facts.changes_;
  }

  void wait(JobFacts& job, Cause cause, Instant from, Instant surely,
            std::optional<Instant> shown) {
    job.phase = Phase::waiting;
    job.cause = cause;
    job.delayed = true;
    job.resumed = false;
    job.not_before = from;
    job.surely_from = surely;
    job.run_at = shown;
  }

  JobFacts& create(const JobId& id, const NewJob& given, Change by) {
    JobIndex index = facts.jobs_.size();
    JobFacts& job = facts.jobs_.emplace_back();
    job.id = id;
    job.index = index;
    job.born = job.changed_at = call.op;
    job.changed_by = by;
    job.given = given;
    job.created_at = now;
    job.not_before = given.run_at.value_or(now);
    job.surely_from = std::max(job.not_before, now + profile.visibility_lag_max);
    job.run_at = given.run_at;
    job.delayed = given.run_at.has_value();
    std::int64_t start = given.attempts.value_or(profile.counter == Counter::attempt_no ? 1 : 0);
    job.counter = {start, start};
    facts.by_id_[id] = index;
    QueueFacts& queue = facts.queues_[given.queue];
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

  void operator()(const Enqueue& request) {
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

  void deliver(JobFacts& job, const Claim& claim, const Reserve& request) {
    bool again = job.phase == Phase::leased;
    change(job, Change::claim, [&] {
      if (again) job.losses = {job.losses.lo + 1, job.losses.hi + 1};
      if (profile.counter == Counter::attempt_no)
        job.counter = {claim.job.attempts, claim.job.attempts};
      if (profile.counter == Counter::starts) job.counter.hi += 1;
      job.phase = Phase::leased;
      job.delayed = true;
      job.resumed = false;
      job.settled.reset();
      job.claims.push_back({call.op, call.client, claim.token, claim.attempt, claim.version,
                            request.worker, now, claim.expires_at, claim.expires_at, 0});
    });
    facts.tokens_.try_emplace(claim.token, job.index, call.op);
  }

  void died_of_expiry(JobFacts& job) {
    change(job, Change::expiry, [&] {
      job.died = {job.lease().expires_at, now};
      job.phase = Phase::dead;
      job.reason.reset();
      job.error.reset();
      job.recorded = true;
      job.last_error.reset();
    });
  }

  // What is left of a lease that ran out once a claim has looked at the queue.
  void sweep(JobFacts& job) {
    if (facts.surely_exhausted(job)) {
      died_of_expiry(job);
    } else if (profile.expiry_counts == ExpiryCounts::yes &&
               profile.expiry_to == ExpiryTo::backoff && !facts.perhaps_exhausted(job)) {
      change(job, Change::expiry, [&] {
        Instant expiry = job.lease().expires_at;
        std::int64_t n = job.counter.hi;
        wait(job, Cause::expiry, expiry, now + facts.backoff_window(n), std::nullopt);
        if (profile.counter == Counter::attempt_no) job.counter = {n, n + 1};
        job.losses = {job.losses.lo + 1, job.losses.hi + 1};
        job.last_error.reset();
      });
    }
  }

  void sweep(const Reserve& request) {
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

  void operator()(const Reserve& request) {
    const auto* answer = std::get_if<Claims>(&end.response);
    if (!answer) return;
    for (const Claim& claim : answer->claims)
      if (JobFacts* job = find(claim.job.id)) deliver(*job, claim, request);
    if (static_cast<std::int64_t>(answer->claims.size()) < request.max) sweep(request);
  }

  void operator()(const Extend& request) {
    const auto* answer = std::get_if<Extended>(&end.response);
    JobFacts* job = find(request.hold.job_id);
    if (!answer || !job || job->phase != Phase::leased) return;
    change(*job, Change::extend, [&] {
      job->claims.back().expires_at = answer->expires_at;
      ++job->claims.back().extensions;
    });
  }

  // True where the call settles the lease; a repeat that was accepted changes nothing.
  JobFacts* settles(const Hold& hold) {
    JobFacts* job = find(hold.job_id);
    if (!job) return nullptr;
    if (job->phase != Phase::leased) {
      job->repeated.push_back(call.op);
      return nullptr;
    }
    return job;
  }

  void operator()(const Ack& request) {
    if (JobFacts* job = settles(request.hold))
      change(*job, Change::ack, [&] {
        job->settled = SettleFact{call.op, Change::ack, request.hold.token};
        job->phase = Phase::done;
      });
  }

  void operator()(const Retry& request) {
    if (JobFacts* job = settles(request.hold))
      change(*job, Change::retry, [&] {
        job->settled = SettleFact{call.op, Change::retry, request.hold.token};
        job->counter = {request.attempts, request.attempts};
        job->last_error = request.error;
        wait(*job, Cause::failure, request.run_at, request.run_at, request.run_at);
      });
  }

  void die(JobFacts& job, std::optional<std::string> reason, std::string error) {
    job.phase = Phase::dead;
    job.reason = std::move(reason);
    job.error = error;
    job.last_error = std::move(error);
    job.died = {now, now};
    job.recorded = true;
  }

  void operator()(const Fail& request) {
    if (JobFacts* job = settles(request.hold))
      change(*job, Change::fail, [&] {
        job->settled = SettleFact{call.op, Change::fail, request.hold.token};
        job->counter = {request.attempts, request.attempts};
        die(*job, request.reason, request.error);
      });
  }

  // The ordinal of the failure that finds the counter at n.
  std::int64_t failures_of(std::int64_t n) const {
    return profile.counter == Counter::attempt_no ? n : n + 1;
  }

  void draw(std::int64_t failure, Duration delay) {
    Facts::Delays& delays = facts.delays_[failure];
    if (delays.drawn == 0) delays.first = delay;
    delays.varied = delays.varied || delay != delays.first;
    ++delays.drawn;
  }

  void operator()(const Nack& request) {
    const auto* answer = std::get_if<Nacked>(&end.response);
    JobFacts* job = answer ? settles(request.hold) : nullptr;
    if (!job) return;
    change(*job, Change::nack, [&] {
      job->settled = SettleFact{call.op, Change::nack, request.hold.token};
      std::int64_t n = job->counter.hi;
      bool counts_starts = profile.counter == Counter::starts;  // so a failure changes nothing
      if (answer->state == JobState::dead) {
        // Some count the failure that ends the job, some only those that lead to a retry.
        if (!counts_starts)
          job->counter = {profile.counter == Counter::failures ? n + 1 : n,
                          profile.counter == Counter::attempt_no ? n : n + 1};
        die(*job, std::nullopt, request.error);
        return;
      }
      if (!counts_starts)
        job->counter = {profile.counter == Counter::attempt_no ? n : n + 1, n + 1};
      job->last_error = request.error;
      Instant from = answer->run_at.value_or(now);
      draw(failures_of(n), from - now);
      wait(*job, Cause::failure, from, from, answer->run_at);
    });
  }

  void operator()(const Cancel& request) {
    const auto* answer = std::get_if<Cancelled>(&end.response);
    JobFacts* job = find(request.job_id);
    if (!answer || !job) return;
    if (answer->state != JobState::cancelled || job->phase == Phase::cancelled) {
      job->repeated.push_back(call.op);
      return;
    }
    change(*job, Change::cancel, [&] {
      job->counter = facts.shown_counter(*job, now);
      job->cancelled_waiting = job->phase == Phase::waiting;
      if (job->cancelled_waiting) ++facts.queue_of(*job).fresh_cancelled;
      job->phase = Phase::cancelled;
    });
  }

  void operator()(const Pause& request) {
    QueueFacts& queue = facts.queues_[request.queue];
    queue.unsure = false;
    if (queue.paused) return;
    queue.paused = true;
    queue.paused_by = call.op;
    queue.paused_at = now;
  }

  void operator()(const Resume& request) {
    QueueFacts& queue = facts.queues_[request.queue];
    if (queue.paused)
      for (JobIndex index : queue.members[static_cast<std::size_t>(Phase::waiting)])
        facts.jobs_[index].resumed = true;
    queue.paused = queue.unsure = false;
  }

  // A look that shows how a lapsed lease ended, or when a waiting job runs, settles it.
  void resolve(JobFacts& job, const Job& shown) {
    bool over = facts.lapsed(job, now);
    if (over && (shown.state == JobState::ready || shown.state == JobState::scheduled)) {
      change(job, Change::expiry, [&] {
        Instant from = shown.run_at.value_or(job.lease().expires_at);
        job.losses = {job.losses.lo + 1, job.losses.hi + 1};
        wait(job, Cause::expiry, std::min(from, now), std::max(from, now), shown.run_at);
        if (shown.state == JobState::scheduled) job.not_before = from;
        if (profile.counter == Counter::attempt_no) job.counter.hi += 1;
        job.last_error.reset();
      });
    } else if (over && shown.state == JobState::dead) {
      died_of_expiry(job);
    } else if (job.phase == Phase::waiting && job.cause == Cause::expiry && !job.run_at &&
               shown.run_at && shown.state == JobState::scheduled) {
      change(job, Change::expiry, [&] {
        job.not_before = job.surely_from = *shown.run_at;
        job.run_at = shown.run_at;
      });
    }
  }

  void operator()(const Get& request) {
    JobFacts* job = find(request.job_id);
    const auto* view = std::get_if<JobView>(&end.response);
    if (!job || !view) return;
    resolve(*job, view->job);
    job->seen = true;
    job->refused.clear();
    job->repeated.clear();
  }

  void operator()(const List& request) {
    const auto* page = std::get_if<JobPage>(&end.response);
    if (!page) return;
    Walk& walk = client().list;
    begin(walk, request.queue, request.state, request.cursor);
    for (const Job& shown : page->jobs) {
      walk.seen.insert(shown.id);
      walk.last_created = shown.created_at;
      if (JobFacts* job = find(shown.id)) resolve(*job, shown);
    }
    end_page(walk, page->cursor);
  }

  void operator()(const Dead& request) {
    const auto* page = std::get_if<DeadPage>(&end.response);
    if (!page) return;
    Walk& walk = client().dead;
    begin(walk, request.queue, std::nullopt, request.cursor);
    for (const DeadEntry& entry : page->entries) walk.seen.insert(entry.job_id);
    end_page(walk, page->cursor);
  }

  void begin(Walk& walk, const std::string& queue, std::optional<JobState> state,
             const std::optional<std::string>& cursor) {
    if (continues(walk, queue, state, cursor)) {
      walk.whole = walk.whole && walk.changes == facts.changes_;
      return;
    }
    walk = Walk{};
    walk.whole = !cursor;
    walk.changes = facts.changes_;
    walk.queue = queue;
    walk.state = state;
  }

  void end_page(Walk& walk, const std::optional<std::string>& cursor) {
    walk.going = cursor.has_value();
    walk.cursor = cursor;
    walk.changes = facts.changes_;
    if (cursor) facts.cursors_.insert(*cursor);
  }

  void operator()(const Requeue& request) {
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
      wait(*job, Cause::requeue, from, std::max(from, now), request.run_at);
    });
  }

  void operator()(const Close&) { client().closed = true; }
};

// A job's state is unknown after a call on it that may or may not have had an effect.
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

void Facts::apply(const CallEvent& call, const ReturnEvent& end) {
  if (!start_) start_ = call.now;
  if (end.outcome == OutcomeKind::ok) {
    std::visit(Applier{*this, call, end}, call.request);
    return;
  }
  const JobId* subject = subject_of(call.request);
  auto at = subject ? by_id_.find(*subject) : by_id_.end();
  if (end.outcome == OutcomeKind::refused) {
    if (at != by_id_.end()) {
      JobFacts& job = jobs_[at->second];
      job.refused.push_back(call.op);
      if (std::holds_alternative<Requeue>(call.request) && job.recorded) job.replay_refused = true;
    }
    return;
  }
  if (std::holds_alternative<Requeue>(call.request) && profile_.replay == Replay::fresh_job) {
    NewJob fresh = at != by_id_.end() ? jobs_[at->second].given : NewJob{};
    fresh.id.reset();
    perhaps_enqueued(fresh);
  }
  if (at != by_id_.end()) spoil(at->second);
  lose(call);
}

// What a call on no job in particular may have done.
void Facts::lose(const CallEvent& call) {
  if (const auto* r = std::get_if<Enqueue>(&call.request)) perhaps_enqueued(r->job);
  if (const auto* r = std::get_if<Reserve>(&call.request)) perhaps_claimed(*r);
  const std::string* queue = nullptr;
  if (const auto* r = std::get_if<Pause>(&call.request)) queue = &r->queue;
  if (const auto* r = std::get_if<Resume>(&call.request)) queue = &r->queue;
  if (queue) queues_[*queue].paused = false, queues_[*queue].unsure = true;
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

// Who was handed what is not known: neither is the state of any job that could be handed out.
void Facts::perhaps_claimed(const Reserve& request) {
  std::vector<JobIndex> touched;
  for (const std::string& name : request.queues) {
    auto at = queues_.find(name);
    if (at == queues_.end()) continue;
    for (Phase phase : {Phase::waiting, Phase::leased})
      for (JobIndex index : at->second.members[static_cast<std::size_t>(phase)])
        if (!request.job_id || jobs_[index].id == *request.job_id) touched.push_back(index);
  }
  for (JobIndex index : touched) spoil(index);
}

}  // namespace assay
