// working: workers of an engine at their work, and at its limits.
#include "harness/plan/engine_build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

std::string lasting(Duration length, std::string_view end = "ok") {
  return std::to_string(to_ms(length)) + " " + std::string(end);
}

Plan handlers_outlive_their_lease(const Profile& profile) {
  EnginePlan plan(profile, "handlers_outlive_their_lease");
  plan.worker({.concurrency = 2});
  plan.job(lasting(plan.lease() * 5 / 2));
  plan.job(lasting(plan.lease() / 2));
  plan.job("ok");
  plan.wait(plan.lease() * 4);
  return plan.done();
}

Plan handlers_run_out_of_time(const Profile& profile) {
  EnginePlan plan(profile, "handlers_run_out_of_time");
  const Duration lease = plan.lease();
  plan.worker({.concurrency = 4, .timeout = lease * 2});
  plan.job(lasting(lease * 5) + " | ok");
  plan.job(lasting(lease * 5) + " | ok", {.timeout = lease * 3 / 2});
  plan.job(lasting(lease) + " | ok", {.timeout = lease / 2});
  // It returns a success after it was told to stop, which does not count.
  plan.job(lasting(lease) + " deaf " + std::to_string(to_ms(lease)) + " | ok",
           {.timeout = lease / 2});
  plan.wait(lease * 6);
  return plan.done();
}

Plan a_worker_ends_while_handlers_run(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_ends_while_handlers_run");
  const Duration lease = plan.lease();
  const int worker = plan.worker({.concurrency = 3, .grace = lease / 2});
  plan.job(lasting(lease / 4));
  plan.job(lasting(lease * 2) + " | ok");
  plan.job(lasting(lease * 2) + " deaf 300 | ok");
  plan.wait(lease / 8);
  plan.stop(worker);
  plan.wait(lease * 2);
  plan.start(worker);
  plan.wait(lease * 2);
  return plan.done();
}

Plan jobs_fail_every_time(const Profile& profile) {
  EnginePlan plan(profile, "jobs_fail_every_time");
  plan.worker({.concurrency = 4});
  for (int i = 0; i < 12; ++i) plan.job("fail");
  plan.wait(10min);
  return plan.done();
}

Plan handlers_throw_or_are_missing(const Profile& profile) {
  EnginePlan plan(profile, "handlers_throw_or_are_missing");
  plan.worker({.concurrency = 2});
  plan.job("ok", {.type = "nobody"});
  plan.job("throw | ok");
  plan.job("odd | ok");
  plan.job("unrecoverable");
  plan.wait(1min);
  return plan.done();
}

Plan the_lesser_limit_counts(const Profile& profile) {
  EnginePlan plan(profile, "the_lesser_limit_counts");
  plan.worker({.most_runs = 3});
  plan.job("fail", {.limit = 1});
  plan.job("fail", {.limit = 8});
  plan.wait(10min);
  return plan.done();
}

Plan a_busy_queue_beside_a_quiet_one(const Profile& profile) {
  EnginePlan plan(profile, "a_busy_queue_beside_a_quiet_one");
  plan.worker({.queues = {"busy", "quiet"}});
  for (int i = 0; i < 6; ++i) plan.job("100 ok", {.queue = "busy"});
  plan.wait(50ms);
  plan.job("100 ok", {.queue = "quiet"});
  for (int i = 0; i < 20; ++i) plan.job("100 ok", {.queue = "busy"});
  plan.wait(10s);
  return plan.done();
}

Plan retries_among_fresh_jobs(const Profile& profile) {
  EnginePlan plan(profile, "retries_among_fresh_jobs");
  const Duration lease = plan.lease();
  plan.worker({.concurrency = 6});
  // They fail, and their time comes again while everybody is busy.
  for (int i = 0; i < 3; ++i) plan.job("fail | fail | ok", {.limit = 3});
  plan.wait(200ms);
  for (int i = 0; i < 6; ++i) plan.job(lasting(lease / 2));
  plan.wait(lease / 4);
  for (int i = 0; i < 12; ++i) plan.job(lasting(lease / 8));
  plan.wait(lease * 3);
  return plan.done();
}

// Everybody is idle when it ends, and takes what waits in one batch.
Plan retries_among_fresh_jobs_behind_a_pause(const Profile& profile) {
  EnginePlan plan(profile, "retries_among_fresh_jobs_behind_a_pause");
  plan.worker({.concurrency = 6});
  for (int i = 0; i < 3; ++i) plan.job("fail | ok", {.limit = 3});
  plan.wait(1ms);
  plan.pause("q");
  plan.wait(plan.lease());
  for (int i = 0; i < 12; ++i) plan.job(lasting(plan.lease() / 8));
  plan.wait(1s);
  plan.resume("q");
  plan.wait(plan.lease() * 3);
  return plan.done();
}

Plan types_are_limited(const Profile& profile) {
  EnginePlan plan(profile, "types_are_limited");
  plan.worker({.concurrency = 4, .type_limit = 2});
  for (int i = 0; i < 6; ++i) plan.job("700 ok");
  plan.job("100 ok", {.type = "other"});
  plan.wait(1min);
  return plan.done();
}

Plan types_run_at_a_rate(const Profile& profile) {
  EnginePlan plan(profile, "types_run_at_a_rate");
  plan.worker({.concurrency = 3, .rate_every = 2s});
  for (int i = 0; i < 4; ++i) plan.job("10 ok");
  plan.wait(1min);
  return plan.done();
}

Plan a_running_job_is_cancelled(const Profile& profile) {
  EnginePlan plan(profile, "a_running_job_is_cancelled");
  const Duration lease = plan.lease();
  plan.worker({.concurrency = 2});
  const JobRef longer = plan.job(lasting(lease * 2));
  const JobRef shorter = plan.job("300 ok");
  plan.wait(100ms);
  plan.cancel(longer);
  plan.cancel(shorter);
  plan.wait(lease * 3);
  return plan.done();
}

// --- where something goes wrong ---

Plan a_worker_dies_with_jobs(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_dies_with_jobs");
  const Duration lease = plan.lease();
  const int worker = plan.worker({.concurrency = 2});
  for (int i = 0; i < 4; ++i) plan.job(lasting(lease / 2));
  plan.wait(lease / 4);
  plan.kill(worker);
  plan.wait(lease / 2);
  plan.start(worker);
  plan.wait(lease * 4);
  return plan.done();
}

Plan a_worker_is_cut_off_past_its_lease(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_is_cut_off_past_its_lease");
  const Duration lease = plan.lease();
  const int first = plan.worker({});
  plan.job(lasting(lease * 3));
  plan.wait(lease / 2);
  const int cut = plan.begin_fault("store_away", first);
  plan.wait(lease * 3);
  plan.end_fault(cut);
  plan.wait(lease * 4);
  return plan.done();
}

Plan another_takes_over_from_a_worker_that_is_cut_off(const Profile& profile) {
  EnginePlan plan(profile, "another_takes_over_from_a_worker_that_is_cut_off");
  const Duration lease = plan.lease();
  const int first = plan.worker({});
  plan.worker({});
  for (int i = 0; i < 2; ++i) plan.job(lasting(lease * 3));
  plan.wait(lease / 2);
  const int cut = plan.begin_fault("store_away", first);
  plan.wait(lease * 5);
  plan.end_fault(cut);
  plan.wait(lease * 4);
  return plan.done();
}

Plan the_store_is_away_for_minutes(const Profile& profile) {
  EnginePlan plan(profile, "the_store_is_away_for_minutes");
  plan.worker({.concurrency = 2});
  plan.worker({});
  plan.job("ok");
  plan.wait(5s);
  const int away = plan.begin_fault("store_away");
  plan.wait(2min);
  plan.end_fault(away);
  plan.job("ok");
  plan.wait(2min);
  return plan.done();
}

Plan answers_to_settles_are_lost(const Profile& profile) {
  EnginePlan plan(profile, "answers_to_settles_are_lost");
  const Duration lease = plan.lease();
  const int worker = plan.worker({.concurrency = 3, .group_acks = true});
  for (int i = 0; i < 3; ++i) plan.job(lasting(lease / 4));
  plan.job(lasting(lease / 4, "fail"));
  plan.wait(lease / 8);
  const int lost = plan.begin_fault("answers_lost", worker);
  plan.wait(lease / 4);
  plan.end_fault(lost);
  plan.wait(lease * 4);
  return plan.done();
}

Plan a_worker_ends_with_settles_to_send(const Profile& profile) {
  EnginePlan plan(profile, "a_worker_ends_with_settles_to_send");
  const Duration lease = plan.lease();
  const int worker = plan.worker({.concurrency = 3, .group_acks = true});
  for (int i = 0; i < 3; ++i) plan.job(lasting(lease / 4));
  plan.wait(lease / 8);
  plan.stop(worker);
  plan.wait(lease / 16);
  const int away = plan.begin_fault("store_away");
  plan.wait(lease / 4);
  plan.end_fault(away);
  plan.wait(lease * 4);
  return plan.done();
}

}  // namespace

std::vector<Scenario> working() {
  return {
      of("handlers_outlive_their_lease", "Handlers run for longer than a lease lasts.",
         {"HB-1", "HB-3", "HB-6", "EXEC-1", "EXEC-3", "DELIV-1"}, handlers_outlive_their_lease),
      of("handlers_run_out_of_time", "Handlers run for longer than they may, and are told to stop.",
         {"TIME-1", "TIME-2", "TIME-4", "TIME-5", "TIME-6"}, handlers_run_out_of_time),
      of("a_worker_ends_while_handlers_run",
         "A worker is asked to end, and its grace is shorter than what its handlers do.",
         {"TIME-3", "XWORK-1"}, a_worker_ends_while_handlers_run),
      of("jobs_fail_every_time", "Jobs without a limit of their own fail until they are dead.",
         {"RETRY-12", "BACK-1", "BACK-3", "POLICY-2"}, jobs_fail_every_time),
      of("handlers_throw_or_are_missing", "Handlers throw, give up at once, or are not there.",
         {"XWORK-1"}, handlers_throw_or_are_missing),
      of("the_lesser_limit_counts", "A job's own limit is below the policy's, or above it.",
         {"XWORK-2"}, the_lesser_limit_counts),
      of("a_busy_queue_beside_a_quiet_one", "One queue always has work, the other has one job.",
         {"XFAIR-2"}, a_busy_queue_beside_a_quiet_one),
      of("retries_among_fresh_jobs", "Retries and fresh jobs can be had at the same time.",
         {"XFAIR-1"}, retries_among_fresh_jobs),
      of("retries_among_fresh_jobs_behind_a_pause",
         "Retries and fresh jobs wait behind a pause, for workers that are all idle.", {"XFAIR-1"},
         retries_among_fresh_jobs_behind_a_pause, Level::contract, "pause"),
      of("types_are_limited", "More jobs of a type can be had than may run at once.",
         {"XFLOW-1", "XFLOW-2"}, types_are_limited),
      of("types_run_at_a_rate", "More jobs of a type can be had than may begin in a time.",
         {"XFLOW-1"}, types_run_at_a_rate),
      of("a_running_job_is_cancelled", "A job is cancelled while its handler runs.", {"XWORK-1"},
         a_running_job_is_cancelled, Level::contract, "cancel"),
      of("a_worker_dies_with_jobs", "A worker dies with jobs in its hands, and another starts.",
         {"DUR-3", "DELIV-1"}, a_worker_dies_with_jobs, Level::chaos),
      of("a_worker_is_cut_off_past_its_lease",
         "A worker is cut off from its store for longer than its lease lasts.",
         {"EXEC-2", "AVAIL-1"}, a_worker_is_cut_off_past_its_lease, Level::chaos),
      of("another_takes_over_from_a_worker_that_is_cut_off",
         "While a worker is cut off from its store another one takes its job over.",
         {"EXEC-2", "AVAIL-1"}, another_takes_over_from_a_worker_that_is_cut_off, Level::chaos),
      of("the_store_is_away_for_minutes", "The store is away for minutes, for everybody.",
         {"AVAIL-1"}, the_store_is_away_for_minutes, Level::chaos),
      of("answers_to_settles_are_lost", "Settles take effect, and their answers are lost.",
         {"ERR-4", "XBATCH-1"}, answers_to_settles_are_lost, Level::chaos),
      of("a_worker_ends_with_settles_to_send",
         "A worker is asked to end, and the store is away when its settles are to be sent.",
         {"XBATCH-1", "ERR-4"}, a_worker_ends_with_settles_to_send, Level::chaos),
  };
}

}  // namespace assay::scenarios
