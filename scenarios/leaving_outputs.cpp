// leaving_outputs: handlers leave outputs in the store, more than once, too late, and cut short.
#include <fmt/format.h>

#include "harness/plan/engine_build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan outputs_of_several_runs(const Profile& profile) {
  EnginePlan plan(profile, "outputs_of_several_runs");
  plan.worker({.concurrency = 2});
  plan.job("commit c put p append l fail | commit c put p append l ok");
  plan.job("commit c 200 commit d throw | commit c commit d put p put p ok");
  plan.job("put p append l unrecoverable");
  plan.wait(10min);
  return plan.done();
}

// It was told to stop, and does not.
Plan a_handler_outlives_its_worker(const Profile& profile) {
  EnginePlan plan(profile, "a_handler_outlives_its_worker");
  const Duration lease = plan.lease();
  const int worker =
      plan.worker({.concurrency = 2, .grace = lease / 10, .interruption = lease / 10});
  const auto late = to_ms(lease * 3);
  plan.job(fmt::format("{} commit c put p append l ok stubborn | ok", late));
  plan.job(fmt::format("commit c {} commit d ok stubborn | commit c 100 put p ok", late));
  plan.wait(lease / 4);
  plan.stop(worker);
  plan.wait(lease / 2);
  plan.start(worker);
  plan.wait(10min);
  return plan.done();
}

// --- where something goes wrong ---

Plan a_worker_comes_back_with_its_outputs(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_comes_back_with_its_outputs");
  const Duration lease = plan.lease();
  const int first = plan.worker({});
  plan.job(fmt::format("{} commit c put p append l ok stubborn | put p ok", to_ms(lease * 3)));
  plan.job(fmt::format("{} commit c put p ok stubborn | commit c ok", to_ms(lease * 3)));
  plan.wait(lease / 2);
  const int cut = plan.begin_fault("store_away", first);
  plan.wait(lease * 2);
  plan.end_fault(cut);
  plan.wait(lease * 8);
  return plan.done();
}

Plan another_worker_has_the_job_meanwhile(const Profile& profile) {
  EnginePlan plan(profile, "another_worker_has_the_job_meanwhile");
  const Duration lease = plan.lease();
  const int first = plan.worker({});
  plan.worker({});
  for (int i = 0; i < 2; ++i)
    plan.job(
        fmt::format("{} commit c put p append l ok stubborn | 300 put p ok", to_ms(lease * 3)));
  plan.wait(lease / 8);
  const int cut = plan.begin_fault("store_away", first);
  plan.wait(lease * 2);
  plan.end_fault(cut);
  plan.wait(lease * 8);
  return plan.done();
}

// Each between two writes, were they not one.
Plan workers_die_while_they_write_outputs(const Profile& profile) {
  EnginePlan plan(profile, "workers_die_while_they_write_outputs");
  const int worker = plan.worker({});
  for (int at = 1; at <= 5; ++at) {
    plan.kill_at_call(worker, at);
    plan.job("put p put q append l ok | ok");
    plan.job("commit c put p put q ok");
    plan.wait(plan.lease() * 2);
    plan.start(worker);
    plan.wait(5min);
  }
  return plan.done();
}

Plan the_answers_to_outputs_are_lost(const Profile& profile) {
  EnginePlan plan(profile, "the_answers_to_outputs_are_lost");
  const Duration lease = plan.lease();
  const int worker = plan.worker({.concurrency = 3});
  const auto soon = to_ms(lease / 4);
  for (int i = 0; i < 2; ++i) plan.job(fmt::format("{} put p put q append l ok", soon));
  plan.job(fmt::format("{} commit c fail | commit c ok", soon));
  plan.wait(lease / 8);
  const int lost = plan.begin_fault("answers_lost", worker);
  plan.wait(lease / 4);
  plan.end_fault(lost);
  plan.wait(lease * 8);
  return plan.done();
}

}  // namespace

std::vector<Scenario> leaving_outputs() {
  return {
      of("outputs_of_several_runs", "Runs that fail and runs that succeed make the same outputs.",
         {"EFFECT-1"}, outputs_of_several_runs),
      of("a_handler_outlives_its_worker",
         "A handler goes on when its worker has ended, and makes outputs.", {"FENCE-9"},
         a_handler_outlives_its_worker),
      of("a_worker_comes_back_with_its_outputs",
         "A worker is cut off past its lease, and its handlers make outputs when it is back.",
         {"FENCE-9"}, a_worker_comes_back_with_its_outputs, Level::chaos),
      of("another_worker_has_the_job_meanwhile",
         "A worker makes outputs of a job that another one has taken over.", {"FENCE-9"},
         another_worker_has_the_job_meanwhile, Level::chaos),
      of("workers_die_while_they_write_outputs",
         "A worker dies right after one of the calls that write its outputs, each time another.",
         {"EFFECT-2"}, workers_die_while_they_write_outputs, Level::chaos),
      of("the_answers_to_outputs_are_lost", "Outputs are written, and nobody hears the answers.",
         {"EFFECT-1", "EFFECT-2"}, the_answers_to_outputs_are_lost, Level::chaos),
  };
}

}  // namespace assay::scenarios
