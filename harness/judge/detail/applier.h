// Applier: one operation with its answer, being taken into the facts. Only what was answered
// counts; what a call asked for is no fact. Where it is not certain at which instant it took
// effect, what follows from it holds for each of them.
#pragma once

#include "harness/judge/facts.h"

namespace assay {

struct Applier {
  Facts& facts;
  const CallEvent& call;
  const ReturnEvent& end;
  const Profile& profile = facts.profile_;
  Instant now = call.now;                    // or later,
  Instant latest = facts.latest(call, end);  // but not after this
  bool alone = true;                         // it overlapped no other call
  bool trial = false;                        // it may be taken back
  Place began = 0, ended = 0;

  ClientFacts& client() { return facts.clients_[call.client]; }

  JobFacts* find(const JobId& id) { return facts.jobs_.job(id); }

  template <class Change_>
  void change(JobFacts& job, Change by, Change_ edit) {
    facts.unlink(job);
    if (facts.lapsed(job, latest)) job.last_error.reset();  // the store may have noted the expiry
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

  // The ordinal of the failure that finds the counter at n.
  std::int64_t failures_of(std::int64_t n) const {
    return profile.counter == Counter::attempt_no ? n : n + 1;
  }

  void operator()(const Close&) { client().closed = true; }

  JobFacts& create(const JobId& id, const NewJob& given, Change by);
  void operator()(const Enqueue& request);
  void deliver(JobFacts& job, const Claim& claim, const Reserve& request);
  void died_of_expiry(JobFacts& job);
  void sweep(JobFacts& job);
  void sweep(const Reserve& request);
  void operator()(const Reserve& request);
  void operator()(const Extend& request);
  JobFacts* settles(const Hold& hold);
  void learn(JobFacts& job, const Hold& hold);
  void operator()(const Ack& request);
  void operator()(const Retry& request);
  void die(JobFacts& job, std::optional<std::string> reason, std::string error);
  void operator()(const Fail& request);
  void draw(std::int64_t failure, Duration delay);
  void operator()(const Nack& request);
  void operator()(const Cancel& request);
  void operator()(const Pause& request);
  void operator()(const Resume& request);
  void resolve(JobFacts& job, const Job& shown);
  void operator()(const Get& request);
  void operator()(const List& request);
  void operator()(const Dead& request);
  void begin(Walk& walk, const std::string& queue, std::optional<JobState> state,
             const std::optional<std::string>& cursor);
  void end_page(Walk& walk, const std::optional<std::string>& cursor);
  void operator()(const Requeue& request);
};

}  // namespace assay
