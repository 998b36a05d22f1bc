// Stores that fail over to a replica: what was acknowledged is there, whoever serves it now. With a
// lag, what is acknowledged from the fault's beginning on has not arrived when the primary dies.
#include "harness/plan/account.h"
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

int lagging(PlanBuilder& p) { return p.fault_of_all("fail_over", {{"lag", 1}}); }

Plan accepted(const Profile& profile) {
  PlanBuilder p(profile, "accepted_jobs_outlive_a_failover");
  const JobRef before = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  const int failover = lagging(p);
  const JobRef after = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  p.end_fault(failover);
  p.get(before);
  p.get(after);
  p.ack(p.w1, p.claim(p.w1, before));
  p.ack(p.w1, p.claim(p.w1, after));
  return p.build();
}

// That a job comes back whose ack nobody confirmed is at-least-once. One that was confirmed is a
// change that was committed: it holds, or the store has broken its word.
Plan acked(const Profile& profile) {
  PlanBuilder p(profile, "an_ack_outlives_a_failover");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10min);
  const int failover = lagging(p);
  p.ack(p.w1, held);
  p.end_fault(failover);
  p.advance_to_expiry(held, 1s);
  p.advance(profile.backoff.cap + 1s);
  p.reserve(p.w2, {.job = job});
  return p.build();
}

Plan leased(const Profile& profile) {
  PlanBuilder p(profile, "a_lease_outlives_a_failover");
  const JobRef job = p.enqueue({.limit = 9});
  const int failover = lagging(p);
  const ClaimRef held = p.claim(p.w1, job, 10min);
  p.end_fault(failover);
  p.reserve(p.w2, {.job = job});
  p.extend(p.w1, held, 20min);
  p.ack(p.w1, held);
  return p.build();
}

Plan keyed(const Profile& profile) {
  PlanBuilder p(profile, "a_key_outlives_a_failover");
  p.enqueue({.queue = "other"});
  const int failover = lagging(p);
  const JobRef job = p.enqueue({.key = "k"});
  p.end_fault(failover);
  p.enqueue({.key = "k"});
  p.ack(p.w1, p.claim(p.w1, job));
  p.reserve(p.w1, {.job = job});
  return p.build();
}

// What had arrived is there, whatever the way to replicate.
Plan arrived(const Profile& profile) {
  PlanBuilder p(profile, "what_had_arrived_outlives_two_failovers");
  const JobRef job = p.enqueue({.limit = 9});
  const int first = p.fault_of_all("fail_over", {{"lag", 0}});
  const ClaimRef held = p.claim(p.w1, job, 10min);
  p.end_fault(first);
  p.extend(p.w1, held, 20min);
  const int second = p.fault_of_all("fail_over", {{"lag", 0}});
  p.ack(p.w1, held);
  p.end_fault(second);
  p.get(job);
  p.reserve(p.w2, {.job = job});
  return p.build();
}

std::vector<int> three_workers(PlanBuilder& p) {
  return {p.w1, p.w2, p.client("w3", Role::worker)};
}

// So many that they are in the middle of them when the primary dies.
Plan under_workers(const Profile& profile) {
  PlanBuilder p(profile, "a_failover_under_workers");
  constexpr int jobs_each = 12;
  const std::vector<int> workers = three_workers(p);
  std::vector<std::vector<JobRef>> jobs(workers.size());
  for (auto& mine : jobs) {
    const std::string queue = p.fresh_queue();
    for (int i = 0; i < jobs_each; ++i) mine.push_back(p.enqueue({.queue = queue, .limit = 9}));
  }
  const int failover = lagging(p);
  p.at_once([&] {
    p.end_fault(failover);
    for (std::size_t i = 0; i < jobs_each; ++i)
      for (std::size_t w = 0; w < workers.size(); ++w)
        p.ack(workers[w], p.claim(workers[w], jobs[w][i], 10min));
  });
  return with_account(p.build(), profile);
}

// The primary stands still first, so that calls of all kinds are under way when it dies. Nobody is
// told that one of them was done, so that nothing is promised of them.
Plan calls_under_way(const Profile& profile) {
  PlanBuilder p(profile, "a_failover_while_calls_are_under_way");
  const std::vector<int> workers = three_workers(p);
  const std::string queue = p.fresh_queue();
  std::vector<JobRef> jobs;
  for (std::size_t i = 0; i < 2 * workers.size(); ++i)
    jobs.push_back(p.enqueue({.queue = queue, .limit = 9}));
  std::vector<ClaimRef> held;
  for (std::size_t i = 0; i < workers.size(); ++i)
    held.push_back(p.claim(workers[i], jobs[i], 10min));
  const int failover = lagging(p);
  p.fault_of_all("pause_store");
  p.at_once([&] {
    p.end_fault(failover);
    p.enqueue({.queue = queue, .limit = 9});
    p.ack(workers[0], held[0]);
    p.extend(workers[1], held[1], 20min);
    p.record_failure(workers[2], held[2]);
  });
  return with_account(p.build(), profile);
}

}  // namespace

std::vector<Scenario> failovers() {
  constexpr Level durable = Level::durability;
  constexpr std::string_view kept = "durability!=none";
  return {
      {"accepted_jobs_outlive_a_failover",
       "Jobs are accepted, the store fails over to its replica; each of them is there.",
       kept,
       {"DUR-1", "DUR-6"},
       accepted,
       durable},
      {"an_ack_outlives_a_failover",
       "A job is acked, the store fails over to its replica; nobody gets the job again.",
       kept,
       {"DUR-6"},
       acked,
       durable},
      {"a_lease_outlives_a_failover",
       "A worker holds a job while the store fails over; it holds it still, and nobody else does.",
       kept,
       {"DUR-6"},
       leased,
       durable},
      {"a_key_outlives_a_failover",
       "A job is enqueued with a key, the store fails over; the key is taken still.",
       "durability!=none&idem!=none",
       {"DUR-1"},
       keyed,
       durable},
      {"what_had_arrived_outlives_two_failovers",
       "The store fails over, and over again, to replicas that have everything.",
       kept,
       {"DUR-6"},
       arrived,
       durable},
      {"a_failover_under_workers",
       "The store fails over while workers claim and ack as they come; no job is lost.",
       kept,
       {"DUR-6"},
       under_workers,
       durable},
      {"a_failover_while_calls_are_under_way",
       "The store fails over while clients enqueue, ack and extend; each call was done or not.",
       "durability=crash",
       {"DUR-4", "DUR-6"},
       calls_under_way,
       durable},
  };
}

}  // namespace assay::scenarios
