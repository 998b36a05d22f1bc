// Stores that go away and come back: what they acknowledged is there, what they were at is done or
// not done.
#include "harness/plan/account.h"
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

// Jobs in every state that a job can be in.
struct Everything {
  JobRef ready, done, held, dead;
  ClaimRef hold;
};
Everything everything(PlanBuilder& p) {
  Everything all;
  all.ready = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  all.done = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  p.ack(p.w1, p.claim(p.w1, all.done));
  all.held = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  all.hold = p.claim(p.w1, all.held, 10min);
  all.dead = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  p.dead_letter(p.w2, p.claim(p.w2, all.dead));
  return all;
}

Plan restarts(const Profile& profile) {
  PlanBuilder p(profile, "the_store_is_killed_and_comes_back");
  const Everything all = everything(p);
  p.end_fault(p.fault_of_all("crash_store"));
  p.get(all.ready);
  p.get(all.held);
  p.get(all.dead);
  p.ack(p.w1, all.hold);
  p.ack(p.w2, p.claim(p.w2, all.ready));
  return p.build();
}

Plan restarts_again(const Profile& profile) {
  PlanBuilder p(profile, "the_store_is_killed_again_and_again");
  const JobRef job = p.enqueue({.limit = 9});
  p.end_fault(p.fault_of_all("crash_store"));
  ClaimRef held = p.claim(p.w1, job, 10min);
  p.end_fault(p.fault_of_all("crash_store"));
  p.extend(p.w1, held, 20min);
  p.end_fault(p.fault_of_all("crash_store"));
  p.record_failure(p.w1, held, {.delay = 1s});
  p.end_fault(p.fault_of_all("crash_store"));
  p.advance(profile.backoff.cap + 2s);
  held = p.claim(p.w2, job, 10min);
  p.end_fault(p.fault_of_all("crash_store"));
  p.ack(p.w2, held);
  p.end_fault(p.fault_of_all("crash_store"));
  p.reserve(p.w1, {.job = job});
  return p.build();
}

// Whoever asks while it is away is not answered, and nothing of that is promised.
Plan away(const Profile& profile) {
  PlanBuilder p(profile, "nobody_is_answered_while_the_store_is_away");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10min);
  const int outage = p.fault_of_all("crash_store");
  p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  p.extend(p.w1, held, 20min);
  p.end_fault(outage);
  p.ack(p.w1, held);
  return p.build();
}

std::vector<int> fleet(PlanBuilder& p, int size) {
  std::vector<int> workers{p.w1, p.w2};
  while (static_cast<int>(workers.size()) < size)
    workers.push_back(p.client("w" + std::to_string(workers.size() + 1), Role::worker));
  return workers;
}

// The store stands still first, so that calls of all kinds are under way when it goes.
Plan under_way(const Profile& profile) {
  PlanBuilder p(profile, "the_store_is_killed_while_calls_are_under_way");
  const std::vector<int> workers = fleet(p, 4);
  const std::string queue = p.fresh_queue();
  std::vector<JobRef> jobs;
  for (std::size_t i = 0; i < 2 * workers.size(); ++i)
    jobs.push_back(p.enqueue({.queue = queue, .limit = 9}));
  std::vector<ClaimRef> held;
  for (std::size_t i = 0; i < workers.size(); ++i)
    held.push_back(p.claim(workers[i], jobs[i], 10min));
  p.fault_of_all("pause_store");
  int outage = 0;
  p.at_once([&] {
    outage = p.fault_of_all("crash_store");
    p.enqueue({.queue = queue, .limit = 9});
    p.ack(workers[0], held[0]);
    p.extend(workers[1], held[1], 20min);
    p.record_failure(workers[2], held[2]);
    p.claim(workers[3], jobs.back(), 10min);
  });
  p.end_fault(outage);
  return with_account(p.build(), profile);
}

Plan many_workers(const Profile& profile) {
  PlanBuilder p(profile, "the_store_restarts_under_32_workers");
  const std::vector<int> workers = fleet(p, 32);
  std::vector<ClaimRef> held;
  for (const int worker : workers)
    held.push_back(p.claim(worker, p.enqueue({.queue = p.fresh_queue(), .limit = 9}), 10min));
  p.end_fault(p.fault_of_all("crash_store"));
  // A storm of connections when it is back.
  p.at_once([&] {
    for (std::size_t i = 0; i < workers.size(); ++i) p.ack(workers[i], held[i]);
  });
  return with_account(p.build(), profile);
}

Plan stands_still(const Profile& profile) {
  PlanBuilder p(profile, "the_store_stands_still_for_a_moment");
  const std::vector<int> workers = fleet(p, 4);
  const std::string queue = p.fresh_queue();
  std::vector<JobRef> jobs;
  for (std::size_t i = 0; i < workers.size(); ++i)
    jobs.push_back(p.enqueue({.queue = queue, .limit = 9}));
  p.at_once([&] {
    p.end_fault(p.fault_of_all("pause_store"));
    for (std::size_t i = 0; i < workers.size(); ++i)
      p.ack(workers[i], p.claim(workers[i], jobs[i], 10min));
  });
  return with_account(p.build(), profile);
}

}  // namespace

std::vector<Scenario> outages() {
  constexpr Level durable = Level::durability;
  constexpr std::string_view kept = "durability!=none", crash = "durability=crash";
  return {
      {"the_store_is_killed_and_comes_back",
       "The store is killed with jobs in every state; each is as it was.",
       kept,
       {"DUR-1", "DUR-6"},
       restarts,
       durable},
      {"the_store_is_killed_again_and_again",
       "The store is killed after each step of a job's life.",
       kept,
       {"DUR-6"},
       restarts_again,
       durable},
      {"nobody_is_answered_while_the_store_is_away",
       "Clients ask while the store is away; what it acknowledged before is there afterwards.",
       kept,
       {"DUR-6"},
       away,
       durable},
      {"the_store_is_killed_while_calls_are_under_way",
       "The store is killed while clients enqueue, claim and ack; each call was done or not.",
       crash,
       {"DUR-4", "DUR-6"},
       under_way,
       durable},
      {"the_store_restarts_under_32_workers",
       "The store is killed under 32 workers that hold a job each; all of them come back at once.",
       kept,
       {"DUR-6"},
       many_workers,
       durable},
      {"the_store_stands_still_for_a_moment",
       "The store stands still while clients claim and ack; nothing is lost or done twice.",
       kept,
       {"ACK-1"},
       stands_still,
       durable},
  };
}

}  // namespace assay::scenarios
