// Workers that stand still past their lease, come back, and go on as if nothing had happened.
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

// w1 stood still; w2 has its job by now.
struct Zombie {
  ClaimRef stale, heir;
};
Zombie come_back(PlanBuilder& p, JobArgs args = {.limit = 9}) {
  const JobRef job = p.enqueue(args);
  const ClaimRef stale = p.claim(p.w1, job, 10s);
  const int pause = p.fault("pause_worker", p.w1);
  const ClaimRef heir = p.reclaim(p.w2, stale, 60s);
  p.end_fault(pause);
  return {stale, heir};
}

Plan acks(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_acks");
  const Zombie zombie = come_back(p);
  p.ack(p.w1, zombie.stale);
  p.ack(p.w2, zombie.heir);
  return p.build();
}

Plan heartbeats(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_heartbeats");
  const Zombie zombie = come_back(p);
  p.extend(p.w1, zombie.stale, 1h);
  p.ack(p.w2, zombie.heir);
  return p.build();
}

Plan fails(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_fails");
  const Zombie zombie = come_back(p);
  p.dead_letter(p.w1, zombie.stale);
  p.ack(p.w2, zombie.heir);
  return p.build();
}

Plan retries(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_retries");
  const Zombie zombie = come_back(p);
  p.record_failure(p.w1, zombie.stale);
  p.ack(p.w2, zombie.heir);
  return p.build();
}

Plan finds_it_done(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_finds_its_job_done");
  const Zombie zombie = come_back(p);
  p.ack(p.w2, zombie.heir);
  p.ack(p.w1, zombie.stale);
  p.extend(p.w1, zombie.stale, 1h);
  p.record_failure(p.w1, zombie.stale);
  return p.build();
}

// Nobody took it meanwhile: what holds then is the profile's.
Plan in_time_for_nobody(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_finds_that_nobody_took_its_job");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef late = p.claim(p.w1, job, 10s);
  const int pause = p.fault("pause_worker", p.w1);
  p.advance_to_expiry(late, p.tick());
  p.end_fault(pause);
  p.ack(p.w1, late);
  return p.build();
}

Plan in_time(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_stands_still_and_is_back_in_time");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10s);
  const int pause = p.fault("pause_worker", p.w1);
  p.advance(9s);
  p.reserve(p.w2, {.job = job});
  p.end_fault(pause);
  p.ack(p.w1, held);
  return p.build();
}

Plan twice_over(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_meets_another_zombie");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef first = p.claim(p.w1, job, 10s);
  const int one = p.fault("pause_worker", p.w1);
  const ClaimRef second = p.reclaim(p.w2, first, 10s);
  const int other = p.fault("pause_worker", p.w2);
  const int heir = p.client("w3", Role::worker);
  const ClaimRef third = p.reclaim(heir, second, 60s);
  p.end_fault(one);
  p.end_fault(other);
  p.ack(p.w1, first);
  p.ack(p.w2, second);
  p.ack(heir, third);
  return p.build();
}

Plan dies_too(const Profile& profile) {
  PlanBuilder p(profile, "the_heir_of_a_zombie_dies");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef stale = p.claim(p.w1, job, 10s);
  const int pause = p.fault("pause_worker", p.w1);
  const ClaimRef heir = p.reclaim(p.w2, stale, 10s);
  p.fault("kill_worker", p.w2);
  p.end_fault(pause);
  p.ack(p.w1, stale);
  p.ack(p.w1, p.reclaim(p.w1, heir));
  return p.build();
}

Plan cancelled_meanwhile(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_finds_its_job_cancelled");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef stale = p.claim(p.w1, job, 10s);
  const int pause = p.fault("pause_worker", p.w1);
  p.cancel(job);
  p.end_fault(pause);
  p.ack(p.w1, stale);
  p.get(job);
  return p.build();
}

Plan replayed_meanwhile(const Profile& profile) {
  PlanBuilder p(profile, "a_zombie_finds_its_job_replayed");
  const Zombie zombie = come_back(p);
  p.dead_letter(p.w2, zombie.heir);
  p.requeue(job_of(zombie.heir), true);
  p.ack(p.w1, zombie.stale);
  p.ack(p.w2, zombie.heir);
  return p.build();
}

Plan admin_stands_still(const Profile& profile) {
  PlanBuilder p(profile, "workers_go_on_while_the_producer_stands_still");
  const JobRef job = p.enqueue({.limit = 9});
  const int pause = p.fault("pause_worker", p.producer);
  p.ack(p.w1, p.claim(p.w1, job));
  p.end_fault(pause);
  const JobRef next = p.enqueue({.limit = 9});
  p.ack(p.w1, p.claim(p.w1, next));
  return p.build();
}

}  // namespace

std::vector<Scenario> zombies() {
  constexpr Level chaos = Level::chaos;
  return {
      {"a_zombie_acks",
       "A worker stands still past its lease, and acks what another one has.",
       "",
       {"FENCE-2"},
       acks,
       chaos},
      {"a_zombie_heartbeats",
       "A worker stands still past its lease, and extends what another one has.",
       "",
       {"FENCE-8"},
       heartbeats,
       chaos},
      {"a_zombie_fails",
       "A worker stands still past its lease, and buries what another one has.",
       "",
       {"FENCE-2"},
       fails,
       chaos},
      {"a_zombie_retries",
       "A worker stands still past its lease, and puts back what another one has.",
       "",
       {"FENCE-2"},
       retries,
       chaos},
      {"a_zombie_finds_its_job_done",
       "A worker stands still until another one has done its job; nothing that it says counts.",
       "",
       {"FENCE-2"},
       finds_it_done,
       chaos},
      {"a_zombie_finds_that_nobody_took_its_job",
       "A worker stands still past its lease, and nobody takes its job.",
       "",
       {"LEASE-1"},
       in_time_for_nobody,
       chaos},
      {"a_worker_stands_still_and_is_back_in_time",
       "A worker stands still for less than its lease; nobody else gets its job.",
       "",
       {"LEASE-2", "ACK-1"},
       in_time,
       chaos},
      {"a_zombie_meets_another_zombie",
       "Two workers in turn stand still with the same job.",
       "",
       {"FENCE-2"},
       twice_over,
       chaos},
      {"the_heir_of_a_zombie_dies",
       "Who took over from a worker that stood still is killed; the job comes back once more.",
       "",
       {"DUR-7"},
       dies_too,
       chaos},
      {"a_zombie_finds_its_job_cancelled",
       "A worker stands still while its job is cancelled, and acks it.",
       "cancel",
       {"CANCEL-1"},
       cancelled_meanwhile,
       chaos},
      {"a_zombie_finds_its_job_replayed",
       "A worker stands still until its job was buried and replayed, and acks it.",
       "dlq_ops",
       {"FENCE-2"},
       replayed_meanwhile,
       chaos},
      {"workers_go_on_while_the_producer_stands_still",
       "A producer stands still; what it enqueued is served.",
       "",
       {"ACK-1"},
       admin_stands_still,
       chaos},
  };
}

}  // namespace assay::scenarios
