#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan expiry_boundary(const Profile& profile) {
  PlanBuilder p(profile, "expiry_one_tick_before_at_and_after");
  for (const Duration offset : {-p.tick(), 0ms, p.tick()}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue()});
    const ClaimRef lost = p.claim(p.w1, job, 10s);
    p.advance_to_expiry(lost, offset);
    p.get(job);
    p.ack(p.w2, p.claim(p.w2, job, 20s));
    p.ack(p.w2, p.reclaim(p.w2, lost, 20s));
    p.advance(1min);
  }
  return p.build();
}

Plan reclaimed_keeps_id(const Profile& profile) {
  PlanBuilder p(profile, "a_reclaimed_job_is_the_same_job");
  const JobRef job = p.enqueue({.payload = text_payload("keep me"), .limit = 5});
  const ClaimRef lost = p.claim(p.w1, job, 1s);
  p.advance_to_expiry(lost);
  p.get(job);
  p.list("q");
  const ClaimRef again = p.reclaim(p.w2, lost, 5s);
  p.ack(p.w2, again);
  p.list("q");
  return p.build();
}

Plan scheduled_reclaim(const Profile& profile) {
  PlanBuilder p(profile, "a_reclaimed_job_forgets_its_run_time");
  const JobRef job = p.enqueue({.when = from_now(10s), .limit = 5});
  p.advance_to_due(job);
  const ClaimRef lost = p.claim(p.w1, job, 1s);
  p.ack(p.w2, p.reclaim(p.w2, lost, 5s));
  const JobRef retried = p.enqueue({.limit = 5});
  p.record_failure(p.w1, p.claim(p.w1, retried), {.delay = 20s});
  p.advance_to_due(retried);
  const ClaimRef lost_again = p.claim(p.w1, retried, 2s);
  p.ack(p.w2, p.reclaim(p.w2, lost_again, 5s));
  return p.build();
}

Plan worker_dies(const Profile& profile) {
  PlanBuilder p(profile, "a_dead_worker_loses_nothing");
  const int mortal = p.client("mortal", Role::worker);
  JobRef jobs[3];
  ClaimRef claims[3];
  for (int i = 0; i < 3; ++i) {
    jobs[i] = p.enqueue();
    claims[i] = p.claim(mortal, jobs[i], 5s);
  }
  p.close(mortal);
  for (const JobRef& job : jobs) p.get(job);
  for (const ClaimRef& lost : claims) p.ack(p.w2, p.reclaim(p.w2, lost, 1h));
  return p.build();
}

Plan fresh_tokens(const Profile& profile) {
  PlanBuilder p(profile, "each_claim_has_a_token_of_its_own");
  const JobRef job = p.enqueue({.limit = 20});
  const JobRef other = p.enqueue({.queue = "r", .limit = 20});
  ClaimRef c = p.claim(p.w1, job, 5s);
  p.claim(p.w1, other, 24h);
  for (int i = 0; i < 2; ++i) c = p.reclaim(p.w1, c, 5s);
  p.record_failure(p.w1, c, {.delay = 0ms});
  p.advance_to_due(job);
  c = p.claim(p.w2, job, 5s);
  p.ack(p.w2, c);
  return p.build();
}

Plan losses_up_to_the_cap(const Profile& profile) {
  PlanBuilder p(profile, "a_job_that_kills_its_workers_ends_dead");
  const JobRef job = p.enqueue({.limit = 2});
  ClaimRef c = p.claim(p.w1, job, 5s);
  for (std::int64_t run = 1; run < p.runs(2); ++run) c = p.reclaim(p.w2, c, 5s);
  p.reclaim(p.w1, c, 5s);
  p.advance(24h);
  p.claim(p.w1, job);
  if (p.has("dlq_ops")) p.dead("q");
  return p.build();
}

Plan losses_below_the_cap(const Profile& profile) {
  PlanBuilder p(profile, "one_lease_loss_below_the_cap_is_survived");
  const JobRef job = p.enqueue({.limit = 3});
  ClaimRef c = p.claim(p.w1, job, 5s);
  for (std::int64_t run = 1; run < p.runs(3); ++run) c = p.reclaim(p.w2, c, 5s);
  p.ack(p.w2, c);
  return p.build();
}

Plan losses_do_not_count(const Profile& profile) {
  PlanBuilder p(profile, "lease_losses_use_no_budget");
  const JobRef job = p.enqueue({.limit = 1});
  ClaimRef c = p.claim(p.w1, job, 5s);
  for (int i = 0; i < 6; ++i) c = p.reclaim(p.w2, c, 5s);
  p.ack(p.w2, c);
  return p.build();
}

Plan single_limit_loss(const Profile& profile) {
  PlanBuilder p(profile, "a_limit_of_one_allows_one_lost_lease");
  const JobRef job = p.enqueue({.limit = 1});
  const ClaimRef c = p.claim(p.w1, job, 5s);
  p.reclaim(p.w2, c, 5s);
  p.advance(1h);
  p.claim(p.w2, job);
  return p.build();
}

Plan late_reclaim(const Profile& profile) {
  PlanBuilder p(profile, "a_lease_long_over_is_reclaimed");
  const JobRef job = p.enqueue({.limit = 5});
  const ClaimRef c = p.claim(p.w1, job, 1ms);
  p.advance(24h * 30);
  p.ack(p.w2, p.reclaim(p.w2, c, 24h * 365));
  return p.build();
}

Plan losses_and_failures(const Profile& profile) {
  PlanBuilder p(profile, "losses_and_failures_of_one_job");
  const JobRef job = p.enqueue({.limit = 4});
  const ClaimRef lost = p.claim(p.w1, job, 5s);
  const ClaimRef held = p.reclaim(p.w2, lost, 5s);
  p.record_failure(p.w2, held, {.delay = 1s});
  p.advance_to_due(job);
  const ClaimRef lost_again = p.claim(p.w1, job, 5s);
  p.ack(p.w2, p.reclaim(p.w2, lost_again, 5s));
  return p.build();
}

Plan replay_after_losses(const Profile& profile) {
  PlanBuilder p(profile, "a_job_that_died_of_lost_leases_is_replayed");
  const JobRef job = p.enqueue({.limit = 2});
  ClaimRef c = p.claim(p.w1, job, 5s);
  for (std::int64_t run = 1; run < p.runs(2); ++run) c = p.reclaim(p.w2, c, 5s);
  p.reclaim(p.w1, c, 5s);
  const JobRef again = p.requeue(job, true);
  const ClaimRef lost = p.claim(p.w1, again, 5s);
  p.ack(p.w2, p.reclaim(p.w2, lost, 5s));
  p.dead("q");
  return p.build();
}

Plan batch_of_both(const Profile& profile) {
  PlanBuilder p(profile, "a_batch_of_lost_and_fresh_jobs");
  for (int i = 0; i < 2; ++i) p.enqueue({.limit = 5});
  p.reserve(p.w1, {.lease = 1s, .max = 2});
  p.advance(2s);
  for (int i = 0; i < 2; ++i) p.enqueue({.limit = 5});
  const ClaimRef all = p.reserve(p.w2, {.lease = 1h, .max = 10});
  for (int i = 0; i < 4; ++i) p.ack(p.w2, nth(all, i));
  p.reserve(p.w2, {.max = 10});
  return p.build();
}

}  // namespace

std::vector<Scenario> lease_expiry() {
  return {
      {"expiry_one_tick_before_at_and_after",
       "A lease keeps the job until its expiry instant and not at it.",
       "",
       {"LEASE-4", "XLEASE-1", "LEASE-2", "LEASE-7", "XCLOCK-1"},
       expiry_boundary},
      {"a_reclaimed_job_is_the_same_job",
       "A job whose lease ran out comes back with its id and content, once.",
       "inspect & list_paged",
       {"LEASE-4", "LEASE-8", "DELIV-2", "DELIV-5", "DUR-2", "XLEASE-2"},
       reclaimed_keeps_id},
      {"a_reclaimed_job_forgets_its_run_time",
       "After an expiry a job that was once scheduled is runnable at once.",
       "schedule_at_enqueue & expiry_to=ready_now",
       {"XLEASE-2", "LEASE-4"},
       scheduled_reclaim},
      {"a_dead_worker_loses_nothing",
       "A session that ends without settling leaves its jobs to others.",
       "",
       {"DELIV-5", "LEASE-4"},
       worker_dies},
      {"each_claim_has_a_token_of_its_own",
       "Reclaims and retries mint new tokens, and versions that rise.",
       "",
       {"FENCE-5", "FENCE-6", "FENCE-11", "DELIV-2"},
       fresh_tokens},
      {"a_job_that_kills_its_workers_ends_dead",
       "Lost leases up to the limit make the job dead.",
       "expiry_counts=yes",
       {"RETRY-14", "DLQ-4"},
       losses_up_to_the_cap},
      {"one_lease_loss_below_the_cap_is_survived",
       "One lost lease fewer than the limit leaves the job alive.",
       "expiry_counts=yes",
       {"RETRY-14", "LEASE-4"},
       losses_below_the_cap},
      {"a_limit_of_one_allows_one_lost_lease",
       "With a limit of one the first lost lease is the last.",
       "expiry_counts=yes & limit_unit=attempts",
       {"RETRY-14"},
       single_limit_loss},
      {"losses_and_failures_of_one_job",
       "A lost lease, a failure, a lost lease and an ack: each is counted as what it is.",
       "",
       {"LEASE-4", "RETRY-1", "RETRY-14", "DELIV-2"},
       losses_and_failures},
      {"a_job_that_died_of_lost_leases_is_replayed",
       "A replay with a reset gives a job that killed its workers a new chance.",
       "expiry_counts=yes & dlq_ops & replay!=none",
       {"RETRY-14", "DLQ-5"},
       replay_after_losses},
      {"a_batch_of_lost_and_fresh_jobs",
       "One batch serves jobs whose leases ran out and jobs that never ran.",
       "claim_style=next",
       {"LEASE-4", "CLAIM-7"},
       batch_of_both},
      {"lease_losses_use_no_budget",
       "Where an expiry does not count, a job outlives any number of lost leases.",
       "expiry_counts=no",
       {"LEASE-4", "DELIV-5"},
       losses_do_not_count},
      {"a_lease_long_over_is_reclaimed",
       "A lease of a millisecond, a month ago, and one for a year.",
       "",
       {"LEASE-4", "LEASE-7"},
       late_reclaim},
  };
}

}  // namespace assay::scenarios
