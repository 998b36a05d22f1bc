// processes: workers of an engine that are processes, and what befalls such.
#include "harness/plan/engine_build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

// Time is the machine's: a lease is short, and yet long enough for a busy one.
constexpr Duration brief_lease = 1s;

WorkerSpec worker_of_two() { return {.concurrency = 2, .lease = brief_lease, .grace = 500ms}; }

std::string ok_after(Duration length) { return std::to_string(to_ms(length)) + " ok"; }

// Jobs of all kinds, some of which are under way when it begins.
void give_jobs(EnginePlan& plan) {
  plan.job(ok_after(brief_lease * 3 / 2));
  plan.job(ok_after(brief_lease / 4));
  plan.job("fail | ok");
  plan.job("throw | fail | ok");
  plan.job("50 ok");
}

Plan workers_are_killed(const Profile& profile) {
  EnginePlan plan(profile, "workers_are_killed");
  const int one = plan.worker(worker_of_two()), other = plan.worker(worker_of_two());
  give_jobs(plan);
  plan.wait(brief_lease / 3);
  plan.begin_fault("kill_worker", one);
  plan.wait(brief_lease / 4);
  plan.job("100 ok");
  plan.start(one);
  plan.begin_fault("kill_worker", other);
  plan.wait(brief_lease / 4);
  return plan.done();
}

Plan a_worker_stands_still_past_its_lease(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_stands_still_past_its_lease");
  const int one = plan.worker(worker_of_two());
  plan.worker(worker_of_two());
  give_jobs(plan);
  plan.wait(brief_lease / 5);
  const int paused = plan.begin_fault("pause_worker", one);
  plan.wait(brief_lease * 2);
  plan.job("ok");
  plan.end_fault(paused);
  plan.wait(brief_lease / 4);
  return plan.done();
}

Plan a_workers_line_is_dead(const Profile& profile) {
  EnginePlan plan(profile, "a_workers_line_is_dead");
  const int one = plan.worker(worker_of_two());
  plan.worker(worker_of_two());
  give_jobs(plan);
  plan.wait(brief_lease / 5);
  const int dead = plan.begin_fault("partition", one);
  plan.wait(brief_lease * 2);
  plan.job("ok");
  plan.end_fault(dead);
  plan.wait(brief_lease / 4);
  return plan.done();
}

// It hears nothing meanwhile, and finds by asking what it was not told of.
Plan a_worker_loses_its_wakeups(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_loses_its_wakeups");
  WorkerSpec hears = worker_of_two();
  hears.hears = true;
  const int one = plan.worker(hears);
  plan.job("ok");
  plan.wait(brief_lease / 2);
  const int lost = plan.begin_fault("lose_replies", one);
  give_jobs(plan);
  plan.wait(brief_lease);
  plan.end_fault(lost);
  plan.wait(brief_lease / 4);
  return plan.done();
}

Plan a_worker_has_a_wrong_clock(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_has_a_wrong_clock");
  const int one = plan.worker(worker_of_two());
  plan.worker(worker_of_two());
  plan.begin_fault("wrong_machine_clock", one);
  Plan whole = plan.done();
  whole.steps.back().fault->with["offset_ms"] = 2'000;
  EnginePlan rest(profile, "");
  give_jobs(rest);
  rest.wait(brief_lease);
  for (Step& step : rest.done().steps) whole.steps.push_back(std::move(step));
  return whole;
}

Plan the_store_crashes_under_workers(const Profile& profile) {
  EnginePlan plan(profile, "the_store_crashes_under_workers");
  plan.worker(worker_of_two());
  plan.worker(worker_of_two());
  give_jobs(plan);
  plan.wait(brief_lease / 5);
  const int crashed = plan.begin_fault("crash_store");
  plan.wait(brief_lease / 2);
  plan.end_fault(crashed);
  plan.job("ok");
  plan.wait(brief_lease / 4);
  return plan.done();
}

}  // namespace

std::vector<Scenario> processes() {
  return {
      {"workers_are_killed",
       "Workers are processes, and are killed with jobs in their hands.",
       "",
       {"DELIV-1", "DUR-3", "EXEC-1", "EXEC-3"},
       workers_are_killed,
       Level::chaos},
      {"a_worker_stands_still_past_its_lease",
       "A worker is a process, and is stopped for longer than its lease lasts.",
       "",
       {"DELIV-1", "EXEC-1", "EXEC-3"},
       a_worker_stands_still_past_its_lease,
       Level::chaos},
      {"a_workers_line_is_dead",
       "A worker is a process, and its line to the store swallows everything.",
       "",
       {"DELIV-1", "EXEC-1", "EXEC-3"},
       a_workers_line_is_dead,
       Level::chaos},
      {"a_worker_loses_its_wakeups",
       "A worker is a process that is woken by its store, and what the store tells it is lost.",
       "",
       {"DELIV-1", "EXEC-1", "EXEC-3"},
       a_worker_loses_its_wakeups,
       Level::chaos},
      {"a_worker_has_a_wrong_clock",
       "A worker is a process whose machine's clock is wrong.",
       "clock=store",
       {"DELIV-1", "EXEC-1", "EXEC-3"},
       a_worker_has_a_wrong_clock,
       Level::chaos},
      {"the_store_crashes_under_workers",
       "Workers are processes, and the server of their store crashes and comes back.",
       "durability=crash",
       {"DELIV-1", "EXEC-1", "EXEC-3"},
       the_store_crashes_under_workers,
       Level::durability},
  };
}

}  // namespace assay::scenarios
