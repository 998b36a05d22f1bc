#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan live_lease(const Profile& profile) {
  PlanBuilder p(profile, "a_live_lease_keeps_others_away");
  const JobRef job = p.enqueue();
  const ClaimRef c = p.claim(p.w1, job, 10s);
  p.claim(p.w2, job);
  p.claim(p.w1, job);
  p.advance(5s);
  p.claim(p.w2, job);
  p.advance_to_expiry(c, -p.tick());
  p.claim(p.w2, job);
  p.ack(p.w1, c);
  return p.build();
}

Plan terminal_jobs(const Profile& profile) {
  PlanBuilder p(profile, "a_finished_job_is_not_handed_out");
  const JobRef done = p.enqueue();
  p.ack(p.w1, p.claim(p.w1, done, 5s));
  const JobRef dead = p.enqueue();
  p.dead_letter(p.w1, p.claim(p.w1, dead, 5s));
  for (int i = 0; i < 2; ++i) {
    p.claim(p.w2, done);
    p.claim(p.w2, dead);
    p.advance(1h);
  }
  return p.build();
}

Plan queue_isolation(const Profile& profile) {
  PlanBuilder p(profile, "queues_are_kept_apart");
  const JobRef a = p.enqueue({.queue = "a"});
  const JobRef b = p.enqueue({.queue = "b"});
  p.reserve(p.w1, {.queues = {"c"}, .job = a});
  p.reserve(p.w1, {.queues = {"b"}, .job = b});
  p.reserve(p.w1, {.queues = {"b"}, .job = a});
  p.reserve(p.w2, {.queues = {"a"}, .job = a});
  return p.build();
}

Plan queue_set(const Profile& profile) {
  PlanBuilder p(profile, "a_set_of_queues_is_served");
  for (const char* queue : {"a", "b", "c", "a", "b", "c"}) p.enqueue({.queue = queue});
  for (int i = 0; i < 2; ++i) p.ack(p.w1, p.reserve(p.w1, {.queues = {"a", "c"}}));
  p.ack(p.w1, p.reserve(p.w1, {.queues = {"a", "a", "c", "c"}}));
  for (int i = 0; i < 2; ++i) p.ack(p.w1, p.reserve(p.w1, {.queues = {"c", "a"}}));
  p.ack(p.w2, p.reserve(p.w2, {.queues = {"nothing", "b"}}));
  p.reserve(p.w2, {.queues = {"nothing", "here"}});
  return p.build();
}

Plan batches(const Profile& profile) {
  PlanBuilder p(profile, "a_batch_is_at_most_what_is_there");
  for (int i = 0; i < 5; ++i) p.enqueue();
  const ClaimRef two = p.reserve(p.w1, {.max = 2});
  const ClaimRef rest = p.reserve(p.w2, {.max = 10});
  p.reserve(p.w2, {.max = 3});
  p.ack(p.w1, nth(two, 1));
  p.ack(p.w1, nth(two, 0));
  for (int i = 0; i < 3; ++i) p.ack(p.w2, nth(rest, i));
  p.reserve(p.w1, {.max = 10});
  return p.build();
}

Plan nothing_there(const Profile& profile) {
  PlanBuilder p(profile, "an_empty_queue_answers_with_nothing");
  const JobRef job = p.enqueue({.queue = "elsewhere"});
  p.reserve(p.w1, {.queues = {"empty"}, .job = job});
  p.reserve(p.w2, {.queues = {"empty"}, .job = job});
  p.ack(p.w1, p.claim(p.w1, job));
  p.claim(p.w1, job);
  return p.build();
}

Plan holder_named(const Profile& profile) {
  PlanBuilder p(profile, "a_claim_is_one_step");
  const JobRef job = p.enqueue({.timeout = 5s});
  const ClaimRef first = p.claim(p.w1, job, 7s);
  p.list("q", JobState::leased);
  p.list("q", JobState::ready);
  p.reclaim(p.w2, first, 9s);
  return p.build();
}

Plan run_once(const Profile& profile) {
  PlanBuilder p(profile, "an_acked_job_runs_once");
  JobRef jobs[4];
  for (JobRef& job : jobs) job = p.enqueue();
  for (const JobRef& job : jobs) p.ack(p.w1, p.claim(p.w1, job, 1s));
  p.advance(1h);
  for (const JobRef& job : jobs) p.claim(p.w2, job);
  return p.build();
}

}  // namespace

std::vector<Scenario> claiming() {
  return {
      {"a_live_lease_keeps_others_away",
       "While a lease lives nobody else gets the job, up to the tick before its expiry.",
       "",
       {"CLAIM-2", "CLAIM-3", "CLAIM-5", "CLAIM-7", "LEASE-1", "LEASE-2", "LEASE-3", "LEASE-7",
        "ERR-5"},
       live_lease},
      {"a_finished_job_is_not_handed_out",
       "Done and dead jobs are never claimed again, whatever time passes.",
       "",
       {"CLAIM-4", "ACK-3", "DLQ-4", "DLQ-10", "STATE-4"},
       terminal_jobs},
      {"queues_are_kept_apart",
       "A claim gets jobs of the asked queue only.",
       "",
       {"CLAIM-6"},
       queue_isolation},
      {"a_set_of_queues_is_served",
       "A claim on a set of queues finds the jobs of each and of no other.",
       "queue_set_claim & claim_style=next",
       {"CLAIM-6", "CLAIM-7"},
       queue_set},
      {"a_batch_is_at_most_what_is_there",
       "A batch hands out up to as many different jobs as asked for.",
       "claim_style=next",
       {"CLAIM-2", "LEASE-1"},
       batches},
      {"an_empty_queue_answers_with_nothing",
       "Nothing to claim is an empty answer, not an error.",
       "",
       {"ERR-5"},
       nothing_there},
      {"a_claim_is_one_step",
       "State, token, expiry and holder of a claimed job are shown together.",
       "inspect & list_paged",
       {"CLAIM-5", "CLAIM-8", "LEASE-1", "LEASE-7", "LEASE-11", "STATE-2"},
       holder_named},
      {"an_acked_job_runs_once",
       "Four jobs, four acks: no job starts a second time without a cause.",
       "",
       {"ACK-1", "ACK-3", "ACK-5"},
       run_once},
  };
}

}  // namespace assay::scenarios
