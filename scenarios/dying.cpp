// Workers that die: alone, in numbers, again and again; what they held comes back.
#include "harness/plan/account.h"
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan dies_with_a_job(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_dies_with_a_job");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef lost = p.claim(p.w1, job);
  p.fault("kill_worker", p.w1);
  p.ack(p.w2, p.reclaim(p.w2, lost));
  return p.build();
}

// The effect is there, the ack is not: a second run is legal, and the job ends once.
Plan dies_after_the_effect(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_dies_after_the_effect_and_before_the_ack");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef lost = p.claim(p.w1, job, 10s);
  p.extend(p.w1, lost, 20s);
  p.fault("kill_worker", p.w1);
  const ClaimRef heir = p.reclaim(p.w1, lost);
  p.ack(p.w1, heir);
  p.reserve(p.w2, {.job = job});
  return p.build();
}

Plan dies_without_a_job(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_dies_with_empty_hands");
  const JobRef job = p.enqueue({.limit = 9});
  p.ack(p.w1, p.claim(p.w1, job));
  p.fault("kill_worker", p.w1);
  const JobRef another = p.enqueue({.limit = 9});
  p.ack(p.w1, p.claim(p.w1, another));
  return p.build();
}

// A new process that knows what the old one knew: the token, not the process, is what holds.
Plan restarted_worker_acks(const Profile& profile) {
  PlanBuilder p(profile, "a_restarted_worker_settles_what_it_held");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job);
  p.fault("kill_worker", p.w1);
  p.ack(p.w1, held);
  const JobRef left = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  const ClaimRef lost = p.claim(p.w1, left);
  p.fault("kill_worker", p.w1);
  p.extend(p.w1, lost, 60s);
  p.ack(p.w1, lost);
  return p.build();
}

Plan restarted_too_late(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_is_restarted_after_its_lease");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef lost = p.claim(p.w1, job, 10s);
  p.fault("kill_worker", p.w1);
  const ClaimRef heir = p.reclaim(p.w2, lost);
  p.ack(p.w1, lost);
  p.ack(p.w2, heir);
  return p.build();
}

Plan producer_dies(const Profile& profile) {
  PlanBuilder p(profile, "a_producer_dies_after_its_enqueue");
  const JobRef job = p.enqueue({.limit = 9});
  p.fault("kill_worker", p.producer);
  p.get(job);
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

// Whoever takes it dies; by and by it has used up what it may, or goes to one that survives.
Plan poison(const Profile& profile) {
  PlanBuilder p(profile, "a_poison_job_kills_each_worker");
  const JobRef job = p.enqueue({.limit = 3});
  ClaimRef lost = p.claim(p.w1, job, 10s);
  p.fault("kill_worker", p.w1);
  for (int deaths = 0; deaths < 4; ++deaths) {
    const int victim = deaths % 2 == 0 ? p.w2 : p.w1;
    lost = p.reclaim(victim, lost, 10s);
    p.fault("kill_worker", victim);
  }
  p.reclaim(p.w2, lost);
  p.get(job);
  return p.build();
}

Plan half_the_fleet(const Profile& profile) {
  PlanBuilder p(profile, "half_the_fleet_dies_at_once");
  constexpr int fleet = 6;
  std::vector<int> workers{p.w1, p.w2};
  while (static_cast<int>(workers.size()) < fleet)
    workers.push_back(p.client("w" + std::to_string(workers.size() + 1), Role::worker));
  std::vector<ClaimRef> held;
  for (int i = 0; i < fleet; ++i) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    held.push_back(p.claim(workers[static_cast<std::size_t>(i)], job));
  }
  for (std::size_t i = 0; i < fleet; i += 2) p.fault("kill_worker", workers[i]);
  for (std::size_t i = 1; i < fleet; i += 2) p.ack(workers[i], held[i]);
  for (std::size_t i = 0; i < fleet; i += 2)
    p.ack(workers[i + 1], p.reclaim(workers[i + 1], held[i]));
  return p.build();
}

Plan whole_fleet(const Profile& profile) {
  PlanBuilder p(profile, "the_whole_fleet_dies_and_comes_back");
  const JobRef one = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  const JobRef other = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  const ClaimRef first = p.claim(p.w1, one);
  const ClaimRef second = p.claim(p.w2, other);
  for (const int client : {p.producer, p.w1, p.w2, p.admin}) p.fault("kill_worker", client);
  p.ack(p.w2, p.reclaim(p.w2, first));
  p.ack(p.w1, p.reclaim(p.w1, second));
  return p.build();
}

Plan rolling_restart(const Profile& profile) {
  PlanBuilder p(profile, "a_rolling_restart_loses_nothing");
  for (const int client : {p.w1, p.w2}) {
    const JobRef finished = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const JobRef begun = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    p.ack(client, p.claim(client, finished));
    const ClaimRef lost = p.claim(client, begun);
    p.fault("stop_worker", client);
    const int other = client == p.w1 ? p.w2 : p.w1;
    p.ack(other, p.reclaim(other, lost));
  }
  return p.build();
}

Plan crash_loop(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_in_a_crash_loop_keeps_nobody_from_its_job");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef lost = p.claim(p.w1, job);
  p.fault("crash_loop", p.w1, {{"times", 4}});
  const ClaimRef heir = p.reclaim(p.w2, lost);
  p.fault("crash_loop", p.w1, {{"times", 2}});
  p.ack(p.w2, heir);
  return p.build();
}

// Two that look for lost leases at the same moment.
Plan two_reapers(const Profile& profile) {
  PlanBuilder p(profile, "two_reapers_find_the_job_of_a_dead_worker");
  const JobRef job = p.enqueue({.limit = 9});
  const int dying = p.client("w3", Role::worker);
  const ClaimRef lost = p.claim(dying, job, 10s);
  p.fault("kill_worker", dying);
  if (profile.expiry_to == ExpiryTo::backoff)
    p.reclaim(p.w1, lost);
  else
    p.advance_to_expiry(lost, profile.reclaim_lag_max + p.tick());
  p.at_once([&] {
    for (const int client : {p.w1, p.w2}) p.reserve(client, {.job = job});
  });
  p.advance(2min);
  p.advance(profile.backoff.cap);
  p.reserve(p.w1, {.job = job});
  return p.build();
}

Plan heartbeats_end(const Profile& profile) {
  PlanBuilder p(profile, "the_heartbeats_of_a_dead_worker_end");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef lost = p.claim(p.w1, job, 10s);
  for (int i = 0; i < 3; ++i) {
    p.advance(5s);
    p.extend(p.w1, lost, 10s);
  }
  p.fault("kill_worker", p.w1);
  p.ack(p.w2, p.reclaim(p.w2, lost));
  return p.build();
}

Plan dies_while_paused(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_dies_while_its_queue_is_paused");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef lost = p.claim(p.w1, job, 10s);
  p.pause();
  p.fault("kill_worker", p.w1);
  p.advance_to_expiry(lost, profile.reclaim_lag_max + p.tick());
  p.reserve(p.w2, {.job = job});
  p.resume();
  p.ack(p.w2, p.reclaim(p.w2, lost));
  return p.build();
}

// Its request was not delivered, was delivered, or was done and answered: it never learns which.
Plan dies_in_its_ack(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_dies_in_the_middle_of_its_ack");
  for (const int point : {0, 1, 2}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const ClaimRef held = p.claim(p.w1, job, 10s);
    const int death = p.fault("kill_at_request", p.w1, {{"request", 1}, {"point", point}});
    p.ack(p.w1, held);
    p.end_fault(death);
  }
  return with_account(p.build(), profile);
}

Plan dies_in_its_enqueue(const Profile& profile) {
  PlanBuilder p(profile, "a_producer_dies_in_the_middle_of_an_enqueue");
  for (const int point : {0, 1, 2}) {
    const std::string queue = p.fresh_queue();
    const int death = p.fault("kill_at_request", p.producer, {{"request", 1}, {"point", point}});
    p.enqueue({.queue = queue, .limit = 9});
    p.end_fault(death);
    p.enqueue({.queue = queue, .limit = 9});
  }
  return with_account(p.build(), profile);
}

Plan dies_in_its_claim(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_dies_in_the_middle_of_a_claim");
  for (const int point : {0, 1, 2}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const int death = p.fault("kill_at_request", p.w1, {{"request", 1}, {"point", point}});
    p.claim(p.w1, job, 10s);
    p.end_fault(death);
  }
  return with_account(p.build(), profile);
}

}  // namespace

std::vector<Scenario> dying() {
  constexpr Level chaos = Level::chaos;
  return {
      {"a_worker_dies_with_a_job",
       "A worker is killed while it holds a job; another one gets it.",
       "",
       {"DUR-7", "DELIV-5"},
       dies_with_a_job,
       chaos},
      {"a_worker_dies_after_the_effect_and_before_the_ack",
       "A worker is killed when all is done but the ack; the job runs again and ends once.",
       "",
       {"DUR-7", "DELIV-5"},
       dies_after_the_effect,
       chaos},
      {"a_worker_dies_with_empty_hands",
       "A worker that holds nothing is killed and started again.",
       "",
       {"ACK-1"},
       dies_without_a_job,
       chaos},
      {"a_restarted_worker_settles_what_it_held",
       "A worker is killed, started again within its lease, and settles with the token it had.",
       "",
       {"ACK-1"},
       restarted_worker_acks,
       chaos},
      {"a_worker_is_restarted_after_its_lease",
       "A worker is killed and started again too late: another one has the job.",
       "",
       {"DUR-7", "FENCE-2"},
       restarted_too_late,
       chaos},
      {"a_producer_dies_after_its_enqueue",
       "A producer is killed when its enqueue was answered.",
       "",
       {"ACK-1"},
       producer_dies,
       chaos},
      {"a_poison_job_kills_each_worker",
       "Each worker that takes the job is killed.",
       "",
       {"DUR-7"},
       poison,
       chaos},
      {"half_the_fleet_dies_at_once",
       "Of six workers with a job each three are killed.",
       "",
       {"DUR-7", "ACK-1"},
       half_the_fleet,
       chaos},
      {"the_whole_fleet_dies_and_comes_back",
       "Every client is killed and started again.",
       "",
       {"DUR-7", "ACK-1"},
       whole_fleet,
       chaos},
      {"a_rolling_restart_loses_nothing",
       "One worker after the other is asked to end.",
       "",
       {"DUR-7", "ACK-1"},
       rolling_restart,
       chaos},
      {"a_worker_in_a_crash_loop_keeps_nobody_from_its_job",
       "A worker dies as often as it is started; another one gets what it held.",
       "",
       {"DUR-7", "ACK-1"},
       crash_loop,
       chaos},
      {"two_reapers_find_the_job_of_a_dead_worker",
       "Two workers ask at once for what a dead one held.",
       "",
       {"CLAIM-2"},
       two_reapers,
       chaos},
      {"the_heartbeats_of_a_dead_worker_end",
       "A worker that kept its lease alive is killed; the lease ends when it was last told to.",
       "",
       {"DUR-7", "LEASE-5"},
       heartbeats_end,
       chaos},
      {"a_worker_dies_while_its_queue_is_paused",
       "A worker is killed while its queue is paused; its job waits until the queue goes on.",
       "pause",
       {"DUR-7"},
       dies_while_paused,
       chaos},
      {"a_worker_dies_in_the_middle_of_its_ack",
       "A worker is killed when its ack is under way: before, at, and behind the store.",
       "shared_storage",
       {"CLAIM-2"},
       dies_in_its_ack,
       Level::chaos},
      {"a_producer_dies_in_the_middle_of_an_enqueue",
       "A producer is killed when its enqueue is under way: before, at, and behind the store.",
       "shared_storage",
       {"CLAIM-2"},
       dies_in_its_enqueue,
       Level::chaos},
      {"a_worker_dies_in_the_middle_of_a_claim",
       "A worker is killed when its claim is under way: what it was given comes back.",
       "shared_storage",
       {"CLAIM-2"},
       dies_in_its_claim,
       Level::chaos},
  };
}

}  // namespace assay::scenarios
