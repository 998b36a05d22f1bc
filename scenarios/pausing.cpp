#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan pause_waiting(const Profile& profile) {
  PlanBuilder p(profile, "a_paused_queue_hands_out_nothing");
  const JobRef before = p.enqueue();
  const JobRef other = p.enqueue({.queue = "r"});
  p.pause();
  p.claim(p.w1, before);
  const JobRef during = p.enqueue();
  p.claim(p.w1, during);
  p.ack(p.w1, p.claim(p.w1, other));
  p.advance(24h);
  p.claim(p.w2, during);
  p.resume();
  p.ack(p.w1, p.claim(p.w1, before));
  p.ack(p.w1, p.claim(p.w1, during));
  return p.build();
}

Plan pause_delayed(const Profile& profile) {
  PlanBuilder p(profile, "jobs_that_come_due_in_a_pause_wait_for_its_end");
  JobArgs later{.limit = 9};
  if (p.has("schedule_at_enqueue")) later.when = from_now(10s);
  const JobRef scheduled = p.enqueue(later);
  p.advance_to_due(scheduled, -p.tick());
  const JobRef retried = p.enqueue({.queue = "r", .limit = 9});
  p.record_failure(p.w1, p.claim(p.w1, retried), {.delay = 10s});
  p.pause("q");
  p.pause("r");
  p.advance(1h);
  p.claim(p.w1, scheduled);
  p.claim(p.w1, retried);
  p.resume("q");
  p.ack(p.w1, p.claim(p.w1, scheduled));
  p.claim(p.w1, retried);
  p.resume("r");
  p.ack(p.w1, p.claim(p.w1, retried));
  return p.build();
}

Plan pause_leased(const Profile& profile) {
  PlanBuilder p(profile, "a_job_claimed_before_the_pause_may_be_settled");
  for (const SettleKind kind : {SettleKind::ack, SettleKind::failure, SettleKind::dead}) {
    const JobRef job = p.enqueue({.limit = 9});
    const ClaimRef c = p.claim(p.w1, job, 10s);
    p.pause();
    p.extend(p.w1, c, 20s);
    p.settle(p.w1, kind, c);
    p.advance(1h);
    p.claim(p.w2, job);
    p.resume();
    p.ack(p.w2, p.claim(p.w2, job));
  }
  return p.build();
}

Plan pause_expired(const Profile& profile) {
  PlanBuilder p(profile, "a_lease_that_ends_in_a_pause_is_reclaimed_after_it");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef c = p.claim(p.w1, job, 10s);
  p.pause();
  p.advance_to_expiry(c);
  p.claim(p.w2, job);
  p.resume();
  p.ack(p.w2, p.reclaim(p.w2, c, 10s));
  return p.build();
}

Plan pause_again(const Profile& profile) {
  PlanBuilder p(profile, "pausing_and_resuming_twice_is_once");
  p.pause("never-seen");
  p.resume("never-seen");
  p.resume("q");
  p.pause("q");
  p.pause("q");
  const JobRef job = p.enqueue();
  p.claim(p.w1, job);
  p.resume("q");
  const ClaimRef c = p.claim(p.w1, job, 1h);
  p.resume("q");
  p.claim(p.w2, job);
  p.pause("q");
  p.ack(p.w1, c);
  p.resume("q");
  p.ack(p.w1, p.claim(p.w1, p.enqueue()));
  return p.build();
}

Plan pause_in_set(const Profile& profile) {
  PlanBuilder p(profile, "a_paused_queue_is_left_out_of_a_set");
  for (const char* queue : {"a", "b", "a", "b"}) p.enqueue({.queue = queue});
  p.pause("a");
  for (int i = 0; i < 3; ++i) p.ack(p.w1, p.reserve(p.w1, {.queues = {"a", "b"}}));
  p.resume("a");
  for (int i = 0; i < 3; ++i) p.ack(p.w1, p.reserve(p.w1, {.queues = {"a", "b"}}));
  return p.build();
}

Plan pause_requeue(const Profile& profile) {
  PlanBuilder p(profile, "a_replay_into_a_paused_queue_waits");
  const JobRef job = p.enqueue({.limit = 9});
  p.dead_letter(p.w1, p.claim(p.w1, job));
  p.pause();
  const JobRef again = p.requeue(job);
  p.claim(p.w1, again);
  p.resume();
  p.ack(p.w1, p.claim(p.w1, again));
  return p.build();
}

}  // namespace

std::vector<Scenario> pausing() {
  return {
      {"a_paused_queue_hands_out_nothing",
       "Jobs enqueued before and during a pause run after it; other queues go on.",
       "pause",
       {"PAUSE-1", "PAUSE-2", "PAUSE-3"},
       pause_waiting},
      {"jobs_that_come_due_in_a_pause_wait_for_its_end",
       "A scheduled job and a retry come due while their queues are paused.",
       "pause",
       {"PAUSE-1", "PAUSE-3"},
       pause_delayed},
      {"a_job_claimed_before_the_pause_may_be_settled",
       "A pause does not touch running jobs.",
       "pause",
       {"PAUSE-1", "ACK-1", "LEASE-5"},
       pause_leased},
      {"a_lease_that_ends_in_a_pause_is_reclaimed_after_it",
       "An expired lease in a paused queue is nobody's until the resume.",
       "pause",
       {"PAUSE-1", "LEASE-4"},
       pause_expired},
      {"pausing_and_resuming_twice_is_once",
       "Pauses do not add up, and a queue nobody used can be paused.",
       "pause",
       {"PAUSE-1", "PAUSE-3"},
       pause_again},
      {"a_paused_queue_is_left_out_of_a_set",
       "A claim on a paused and an open queue gets the open one's jobs.",
       "pause & queue_set_claim & claim_style=next",
       {"PAUSE-1", "PAUSE-3", "CLAIM-7"},
       pause_in_set},
      {"a_replay_into_a_paused_queue_waits",
       "A replayed job is claimed after the resume.",
       "pause & dlq_ops & replay!=none",
       {"PAUSE-1", "PAUSE-3", "DLQ-5"},
       pause_requeue},
  };
}

}  // namespace assay::scenarios
