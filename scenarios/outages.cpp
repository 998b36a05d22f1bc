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

// After it, each is as it was, and can be gone on with.
Plan everything_after(const Profile& profile, const char* name, const char* outage) {
  PlanBuilder p(profile, name);
  const Everything all = everything(p);
  p.end_fault(p.fault_of_all(outage));
  p.get(all.ready);
  p.get(all.held);
  p.get(all.dead);
  p.ack(p.w1, all.hold);
  p.ack(p.w2, p.claim(p.w2, all.ready));
  return p.build();
}

Plan shut_down(const Profile& profile) {
  return everything_after(profile, "the_store_is_shut_down_and_comes_back", "restart_store");
}
Plan restarts(const Profile& profile) {
  return everything_after(profile, "the_store_is_killed_and_comes_back", "crash_store");
}
Plan loses_power(const Profile& profile) {
  return everything_after(profile, "the_store_loses_power_and_comes_back", "lose_power");
}

// After each step of a job's life.
Plan again_and_again(const Profile& profile, const char* name, const std::string& outage) {
  PlanBuilder p(profile, name);
  const JobRef job = p.enqueue({.limit = 9});
  p.end_fault(p.fault_of_all(outage));
  ClaimRef held = p.claim(p.w1, job, 10min);
  p.end_fault(p.fault_of_all(outage));
  p.extend(p.w1, held, 20min);
  p.end_fault(p.fault_of_all(outage));
  p.record_failure(p.w1, held, {.delay = 1s});
  p.end_fault(p.fault_of_all(outage));
  p.advance(profile.backoff.cap + 2s);
  held = p.claim(p.w2, job, 10min);
  p.end_fault(p.fault_of_all(outage));
  p.ack(p.w2, held);
  p.end_fault(p.fault_of_all(outage));
  p.reserve(p.w1, {.job = job});
  return p.build();
}

Plan shut_down_again(const Profile& profile) {
  return again_and_again(profile, "the_store_is_shut_down_again_and_again", "restart_store");
}
Plan restarts_again(const Profile& profile) {
  return again_and_again(profile, "the_store_is_killed_again_and_again", "crash_store");
}
Plan loses_power_again(const Profile& profile) {
  return again_and_again(profile, "the_store_loses_power_again_and_again", "lose_power");
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

// Calls of all kinds are under way when it goes. Where it can stand still first, they surely are.
Plan gone_under_way(const Profile& profile, const char* name, const char* outage_name) {
  PlanBuilder p(profile, name);
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
    outage = p.fault_of_all(outage_name);
    p.enqueue({.queue = queue, .limit = 9});
    p.ack(workers[0], held[0]);
    p.extend(workers[1], held[1], 20min);
    p.record_failure(workers[2], held[2]);
    p.claim(workers[3], jobs.back(), 10min);
  });
  p.end_fault(outage);
  return with_account(p.build(), profile);
}

Plan under_way(const Profile& profile) {
  return gone_under_way(profile, "the_store_is_killed_while_calls_are_under_way", "crash_store");
}
Plan power_under_way(const Profile& profile) {
  return gone_under_way(profile, "the_store_loses_power_while_calls_are_under_way", "lose_power");
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
      {"the_store_is_shut_down_and_comes_back",
       "The store is shut down with jobs in every state; each is as it was.",
       kept,
       {"DUR-1", "DUR-6"},
       shut_down,
       durable},
      {"the_store_is_shut_down_again_and_again",
       "The store is shut down and started again after each step of a job's life.",
       kept,
       {"DUR-6"},
       shut_down_again,
       durable},
      {"the_store_is_killed_and_comes_back",
       "The store is killed with jobs in every state; each is as it was.",
       crash,
       {"DUR-1", "DUR-6"},
       restarts,
       durable},
      {"the_store_is_killed_again_and_again",
       "The store is killed after each step of a job's life.",
       crash,
       {"DUR-6"},
       restarts_again,
       durable},
      {"the_store_loses_power_and_comes_back",
       "The store loses its power with jobs in every state; each is as it was.",
       crash,
       {"DUR-1", "DUR-6"},
       loses_power,
       durable},
      {"the_store_loses_power_again_and_again",
       "The store loses its power after each step of a job's life.",
       crash,
       {"DUR-6"},
       loses_power_again,
       durable},
      {"nobody_is_answered_while_the_store_is_away",
       "Clients ask while the store is away; what it acknowledged before is there afterwards.",
       crash,
       {"DUR-6"},
       away,
       durable},
      {"the_store_is_killed_while_calls_are_under_way",
       "The store is killed while clients enqueue, claim and ack; each call was done or not.",
       crash,
       {"DUR-4", "DUR-6"},
       under_way,
       durable},
      {"the_store_loses_power_while_calls_are_under_way",
       "The store loses its power while clients enqueue, claim and ack; each was done or not.",
       crash,
       {"DUR-4", "DUR-6"},
       power_under_way,
       durable},
      {"the_store_restarts_under_32_workers",
       "The store is killed under 32 workers that hold a job each; all of them come back at once.",
       crash,
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
