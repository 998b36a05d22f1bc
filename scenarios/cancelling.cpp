#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan cancel_waiting(const Profile& profile) {
  PlanBuilder p(profile, "a_cancelled_job_never_starts");
  const JobRef job = p.enqueue();
  p.cancel(job);
  p.claim(p.w1, job);
  p.advance(24h);
  p.claim(p.w1, job);
  const JobRef waiting = p.enqueue({.limit = 9});
  p.record_failure(p.w1, p.claim(p.w1, waiting), {.delay = 1h});
  p.cancel(waiting);
  p.advance(24h);
  p.claim(p.w1, waiting);
  return p.build();
}

Plan cancel_scheduled(const Profile& profile) {
  PlanBuilder p(profile, "a_cancelled_scheduled_job_never_starts");
  const JobRef job = p.enqueue({.when = from_now(1h)});
  p.cancel(job);
  p.advance_to_due(job, p.tick());
  p.claim(p.w1, job);
  return p.build();
}

Plan cancel_leased(const Profile& profile) {
  PlanBuilder p(profile, "the_settle_of_a_cancelled_job_is_refused");
  for (const SettleKind kind : {SettleKind::ack, SettleKind::failure, SettleKind::dead}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const ClaimRef c = p.claim(p.w1, job, 10s);
    p.cancel(job);
    p.extend(p.w1, c, 1min);
    p.settle(p.w1, kind, c);
    p.advance(1h);
    p.settle(p.w1, kind, c);
    p.claim(p.w2, job);
  }
  return p.build();
}

Plan cancel_expired(const Profile& profile) {
  PlanBuilder p(profile, "a_job_whose_lease_is_over_can_be_cancelled");
  const JobRef job = p.enqueue();
  const ClaimRef c = p.claim(p.w1, job, 10s);
  p.advance_to_expiry(c);
  p.cancel(job);
  p.ack(p.w1, c);
  p.claim(p.w2, job);
  return p.build();
}

Plan cancel_terminal(const Profile& profile) {
  PlanBuilder p(profile, "a_cancel_does_nothing_to_a_finished_job");
  const JobRef done = p.enqueue();
  const ClaimRef c = p.claim(p.w1, done);
  p.ack(p.w1, c);
  p.cancel(done);
  p.ack(p.w1, c);
  const JobRef dead = p.enqueue();
  p.dead_letter(p.w1, p.claim(p.w1, dead));
  p.cancel(dead);
  if (p.has("dlq_ops")) p.dead("q");
  const JobRef cancelled = p.enqueue();
  p.cancel(cancelled);
  p.advance(1s);
  p.cancel(cancelled);
  p.claim(p.w1, cancelled);
  p.cancel(literal_job("nobody-knows-this-one"));
  return p.build();
}

Plan repeat_after_cancel(const Profile& profile) {
  PlanBuilder p(profile, "a_failure_repeated_after_a_cancel_revives_nothing");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef c = p.claim(p.w1, job);
  p.record_failure(p.w1, c, {.delay = 1s});
  p.cancel(job);
  p.record_failure(p.w1, c, {.delay = 1s});
  p.ack(p.w1, c);
  p.advance(24h);
  p.claim(p.w2, job);
  return p.build();
}

Plan only_by_a_cancel(const Profile& profile) {
  PlanBuilder p(profile, "nothing_but_a_cancel_cancels");
  JobRef jobs[4];
  for (JobRef& job : jobs) job = p.enqueue({.limit = 9});
  p.cancel(jobs[0]);
  p.ack(p.w1, p.claim(p.w1, jobs[1], 5s));
  p.record_failure(p.w1, p.claim(p.w1, jobs[2], 5s));
  p.dead_letter(p.w1, p.claim(p.w1, jobs[3], 5s));
  p.advance(24h);
  for (const JobRef& job : jobs) p.get(job);
  p.list("q", JobState::cancelled);
  return p.build();
}

}  // namespace

std::vector<Scenario> cancelling() {
  return {
      {"a_cancelled_job_never_starts",
       "A job cancelled while it waits, for its turn or for a retry, is never claimed.",
       "cancel",
       {"CANCEL-1", "CANCEL-2", "CANCEL-4", "CLAIM-4", "STATE-4"},
       cancel_waiting},
      {"a_cancelled_scheduled_job_never_starts",
       "A job cancelled before its run time is not claimed at it.",
       "cancel & schedule_at_enqueue",
       {"CANCEL-1", "CANCEL-2"},
       cancel_scheduled},
      {"the_settle_of_a_cancelled_job_is_refused",
       "A worker that finishes a job cancelled under its hands is told so.",
       "cancel",
       {"CANCEL-1", "CANCEL-4", "STATE-4", "FENCE-4", "ERR-2"},
       cancel_leased},
      {"a_job_whose_lease_is_over_can_be_cancelled",
       "A cancel between expiry and reclaim.",
       "cancel",
       {"CANCEL-1", "CANCEL-4"},
       cancel_expired},
      {"a_cancel_does_nothing_to_a_finished_job",
       "A cancel of a done, dead or cancelled job is refused and changes nothing.",
       "cancel",
       {"CANCEL-3", "XCANC-1", "ERR-1"},
       cancel_terminal},
      {"a_failure_repeated_after_a_cancel_revives_nothing",
       "A job cancelled while it waits for a retry stays cancelled, whatever its old worker says.",
       "cancel",
       {"CANCEL-1", "CANCEL-4"},
       repeat_after_cancel},
      {"nothing_but_a_cancel_cancels",
       "Of four jobs one was cancelled, and one is.",
       "cancel & inspect & list_paged",
       {"CANCEL-4", "CANCEL-1"},
       only_by_a_cancel},
  };
}

}  // namespace assay::scenarios
