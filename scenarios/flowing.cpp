// flowing: jobs that follow from each other, and workers of an engine that come and go meanwhile.
#include <fmt/format.h>

#include "harness/plan/engine_build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan a_chain_with_retries(const Profile& profile) {
  EnginePlan plan(profile, "a_chain_with_retries");
  plan.worker({.concurrency = 3});
  // Were it for the order of the queue, those behind the one that fails would come before it.
  plan.flow("f1 = chain(a: fail | 300 ok, b: 200 ok, c: fail | ok)");
  plan.flow("f2 = chain(a: 500 ok, group(b: 100 ok, c: fail | ok), d: ok)", 2);
  plan.wait(10min);
  return plan.done();
}

Plan a_chain_with_a_dead_step(const Profile& profile) {
  EnginePlan plan(profile, "a_chain_with_a_dead_step");
  plan.worker({.concurrency = 2});
  plan.flow("f1 = chain(a: ok, b: unrecoverable, c: ok)");
  plan.flow("f2 = go_on chord(chain(a: unrecoverable, b: ok), c: 500 ok; d: ok)");
  plan.wait(10min);
  return plan.done();
}

Plan a_chord_whose_members_fail_at_first(const Profile& profile) {
  EnginePlan plan(profile, "a_chord_whose_members_fail_at_first");
  plan.worker({.concurrency = 2});
  plan.worker({.concurrency = 2});
  plan.flow("f1 = chord(a: 500 ok, b: fail | 100 ok, c: 3000 ok; d: ok)");
  plan.flow("f2 = chain(chord(a: ok, b: fail | fail | ok; c: fail | ok), d: ok)");
  plan.wait(100ms);
  plan.sweep(2);
  plan.wait(5min);
  plan.sweep(2);
  plan.wait(5min);
  return plan.done();
}

Plan groups_with_room_for_all(const Profile& profile) {
  EnginePlan plan(profile, "groups_with_room_for_all");
  plan.worker({.concurrency = 6});
  plan.flow("f1 = group(a: 700 ok, b: 700 ok, chain(c: 300 ok, d: 300 ok))");
  plan.flow("f2 = chain(a: 100 ok, group(b: 900 ok, c: 900 ok, d: 900 ok), e: ok)");
  plan.wait(2min);
  return plan.done();
}

Plan a_group_too_large_for_one_commit(const Profile& profile) {
  EnginePlan plan(profile, "a_group_too_large_for_one_commit");
  plan.worker({.concurrency = 8});
  std::string many = "c1: ok";
  for (int i = 2; i <= 40; ++i) many += fmt::format(", c{}: ok", i);
  plan.flow("f1 = chain(group(a: ok, b: 200 ok), chord(" + many + "; d: ok))");
  plan.wait(10min);
  return plan.done();
}

Plan the_only_worker_ends_in_a_flow(const Profile& profile) {
  EnginePlan plan(profile, "the_only_worker_ends_in_a_flow");
  const int worker = plan.worker({.concurrency = 2});
  plan.flow("f1 = chain(chord(a: 100 ok, b: 2000 ok, c: 100 ok; d: 2000 ok), e: ok)");
  for (const Duration pause : {Duration{1'000}, Duration{2'000}}) {
    plan.wait(pause);
    plan.stop(worker);
    plan.wait(5s);
    plan.start(worker);
  }
  plan.wait(10min);
  return plan.done();
}

// --- where something goes wrong ---

Plan workers_die_in_a_flow(const Profile& profile) {
  EnginePlan plan(profile, "workers_die_in_a_flow");
  const Duration lease = plan.lease();
  const int first = plan.worker({.concurrency = 2});
  const int second = plan.worker({.concurrency = 2});
  plan.flow(fmt::format("f1 = chain(chord(a: 100 ok, b: {0} ok, c: 100 ok; d: {0} ok), e: ok)",
                        to_ms(lease / 2)));
  plan.wait(lease / 4);
  plan.kill(first);
  plan.wait(lease / 8);
  plan.kill(second);
  plan.wait(lease / 8);
  plan.start(first);
  plan.wait(lease * 2);
  plan.kill(first);
  plan.start(second);
  plan.wait(10min);
  return plan.done();
}

// Each in the middle of what follows from another end.
Plan workers_die_at_each_end_of_a_step(const Profile& profile) {
  EnginePlan plan(profile, "workers_die_at_each_end_of_a_step");
  const int worker = plan.worker({.concurrency = 2});
  for (int at = 1; at <= 5; ++at) {
    plan.kill_at_call(worker, at);
    plan.flow(fmt::format("f{} = chain(chord(a: ok, b: fail | ok; c: ok), d: ok)", at));
    plan.wait(plan.lease() * 2);
    plan.start(worker);
    plan.wait(5min);
  }
  return plan.done();
}

// Only the store knows that the step is dead.
Plan a_worker_dies_with_the_death_of_a_step(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_dies_with_the_death_of_a_step");
  const int worker = plan.worker({.concurrency = 2});
  plan.kill_at_call(worker, 1);
  plan.flow("f1 = go_on chord(a: unrecoverable, b: 300 ok; c: ok)");
  plan.wait(plan.lease() / 4);
  plan.start(worker);
  plan.wait(10min);
  return plan.done();
}

Plan the_answers_to_flows_are_lost(const Profile& profile) {
  EnginePlan plan(profile, "the_answers_to_flows_are_lost");
  plan.worker({.concurrency = 2});
  plan.worker({.concurrency = 2});
  const std::string flow = "f1 = chain(chord(a: 200 ok, b: 400 fail | ok; c: 100 ok), d: ok)";
  const int lost = plan.begin_fault("answers_lost");
  plan.flow(flow, 2);
  plan.wait(500ms);
  plan.end_fault(lost);
  plan.flow(flow);
  plan.wait(plan.lease() / 4);
  const int again = plan.begin_fault("answers_lost");
  plan.wait(plan.lease() / 2);
  plan.end_fault(again);
  plan.sweep(2);
  plan.wait(10min);
  return plan.done();
}

}  // namespace

std::vector<Scenario> flowing() {
  return {
      of("a_chain_with_retries", "Steps of a chain fail before they succeed.",
         {"FLOW-1", "ORDER-7", "FLOW-5"}, a_chain_with_retries),
      of("a_chain_with_a_dead_step", "A step of a chain dies, and what follows must not run.",
         {"FLOW-1", "FLOW-3", "FLOW-5"}, a_chain_with_a_dead_step),
      of("a_chord_whose_members_fail_at_first",
         "Members of a chord fail before they succeed, and two look after them at once.",
         {"FLOW-3", "XFLOW-3", "ORDER-7"}, a_chord_whose_members_fail_at_first),
      of("groups_with_room_for_all", "A worker has room for all members of a group.",
         {"FLOW-2", "FLOW-1"}, groups_with_room_for_all),
      of("a_group_too_large_for_one_commit", "A group is enqueued by a job of the engine's own.",
         {"FLOW-1", "FLOW-2", "FLOW-3"}, a_group_too_large_for_one_commit),
      of("the_only_worker_ends_in_a_flow", "The only worker ends in a flow, and starts again.",
         {"FLOW-5", "FLOW-3"}, the_only_worker_ends_in_a_flow),
      of("workers_die_in_a_flow", "The workers of a flow die one after the other.",
         {"FLOW-4", "FLOW-5", "FLOW-3"}, workers_die_in_a_flow, Level::chaos),
      of("workers_die_at_each_end_of_a_step",
         "A worker dies right after an end of a step was taken, each time of another one.",
         {"FLOW-4", "XFLOW-3"}, workers_die_at_each_end_of_a_step, Level::chaos),
      of("a_worker_dies_with_the_death_of_a_step",
         "A worker dies right after the store recorded that a step is dead.", {"FLOW-4"},
         a_worker_dies_with_the_death_of_a_step, Level::chaos),
      of("the_answers_to_flows_are_lost",
         "A flow is handed in and its steps end, and nobody hears the answers.",
         {"FLOW-1", "FLOW-3", "XFLOW-3"}, the_answers_to_flows_are_lost, Level::chaos),
  };
}

}  // namespace assay::scenarios
