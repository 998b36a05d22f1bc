// deciding: failures that an engine decides about: how often, how soon, and when for the last time.
#include "harness/plan/engine_build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan failures_up_to_the_limit(const Profile& profile) {
  EnginePlan plan(profile, "failures_up_to_the_limit");
  plan.worker({.concurrency = 2});
  for (const std::int64_t limit : {1, 2, 4}) plan.job("fail", {.limit = limit});
  plan.job("fail | throw | ok", {.limit = 4});
  plan.wait(10min);
  return plan.done();
}

Plan jobs_are_given_up(const Profile& profile) {
  EnginePlan plan(profile, "jobs_are_given_up");
  plan.worker({.concurrency = 2});
  plan.job("unrecoverable", {.limit = 4});
  plan.job("fail | unrecoverable", {.limit = 4});
  plan.wait(5min);
  return plan.done();
}

// As many as it takes to tell a draw from a constant.
Plan many_fail_at_once(const Profile& profile) {
  EnginePlan plan(profile, "many_fail_at_once");
  plan.worker({.concurrency = 4});
  for (int i = 0; i < 24; ++i) plan.job("fail | ok", {.limit = 3});
  plan.wait(5min);
  return plan.done();
}

Plan failures_between_interruptions(const Profile& profile) {
  EnginePlan plan(profile, "failures_between_interruptions");
  const Duration lease = plan.lease();
  const std::string longer = std::to_string(to_ms(lease * 2));
  const int worker = plan.worker({.concurrency = 2, .grace = lease / 4});
  plan.job("fail | " + longer + " ok | fail | ok", {.limit = 4});
  plan.wait(lease);
  plan.stop(worker);
  plan.wait(lease * 2);
  plan.start(worker);
  plan.wait(10min);
  return plan.done();
}

Plan answers_to_failures_are_lost(const Profile& profile) {
  EnginePlan plan(profile, "answers_to_failures_are_lost");
  const Duration lease = plan.lease();
  const int worker = plan.worker({.concurrency = 2});
  const std::string soon = std::to_string(to_ms(lease / 4));
  for (int i = 0; i < 2; ++i) plan.job(soon + " fail | fail | ok", {.limit = 3});
  plan.wait(lease / 8);
  const int lost = plan.begin_fault("answers_lost", worker);
  plan.wait(lease / 4);
  plan.end_fault(lost);
  plan.wait(lease * 4);
  return plan.done();
}

}  // namespace

std::vector<Scenario> deciding() {
  const std::string_view needs = "decider=engine";
  return {
      {"failures_up_to_the_limit",
       "Jobs with limits of their own fail until they are dead.",
       needs,
       {"RETRY-1", "RETRY-2", "RETRY-3", "RETRY-4", "RETRY-5", "RETRY-6", "DLQ-1", "BACK-2",
        "BACK-4"},
       failures_up_to_the_limit},
      {"jobs_are_given_up",
       "Handlers say that nothing more is to be tried.",
       needs,
       {"RETRY-13", "DLQ-2"},
       jobs_are_given_up},
      {"many_fail_at_once",
       "Many jobs fail for the first time.",
       needs,
       {"BACK-5", "BACK-1"},
       many_fail_at_once},
      {"failures_between_interruptions",
       "A job fails, is put back because its worker ends, and fails again.",
       needs,
       {"RETRY-1", "RETRY-2"},
       failures_between_interruptions},
      {"answers_to_failures_are_lost",
       "Failures are recorded, and the answers are lost.",
       needs,
       {"RETRY-3"},
       answers_to_failures_are_lost,
       Level::chaos},
  };
}

}  // namespace assay::scenarios
