// announcing: dispatchers that announce jobs, workers that hear of them, and messages that go
// wrong on their way.
#include "harness/plan/engine_build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

std::string working_for(Duration length, std::string_view end = "ok") {
  return std::to_string(to_ms(length)) + " " + std::string(end);
}

// Knows only what it hears, where claims name a job.
WorkerSpec listener(int concurrency = 1) {
  WorkerSpec spec{.concurrency = concurrency};
  spec.hears = true;
  spec.looks_itself = false;
  spec.outbox = true;
  return spec;
}

const EngineJobArgs announced{.announced = true};
// Some contracts allow no retry where nothing is said.
const EngineJobArgs twice{.limit = 2, .announced = true};

Plan jobs_are_announced(const Profile& profile) {
  EnginePlan plan(profile, "jobs_are_announced");
  plan.dispatcher();
  plan.worker(listener(2));
  plan.job(working_for(plan.lease() * 3 / 2), announced);
  plan.job("ok to events", announced);
  plan.job("fail | ok", twice);
  plan.job("ok");
  plan.wait(plan.lease() * 4);
  return plan.done();
}

Plan events_are_routed(const Profile& profile) {
  EnginePlan plan(profile, "events_are_routed");
  plan.dispatcher({.hands_events = true});
  plan.worker(listener(2));
  // One that never gets there does not keep the others waiting.
  plan.job("ok to nowhere", announced);
  plan.wait(5s);
  for (int i = 0; i < 3; ++i) plan.job("ok to events", announced);
  plan.wait(1min);
  return plan.done();
}

Plan failures_that_nobody_announced(const Profile& profile) {
  EnginePlan plan(profile, "failures_that_nobody_announced");
  plan.dispatcher();
  WorkerSpec deaf = listener();
  deaf.outbox = false;
  const int worker = plan.worker(deaf);
  plan.job("fail | ok", twice);
  plan.wait(5s);
  // Its time comes while nobody is there to look.
  plan.stop(worker);
  plan.wait(10min);
  plan.start(worker);
  plan.wait(1min);
  return plan.done();
}

// Who hears of them is busy, or may not take them yet.
Plan jobs_wait_without_a_message(const Profile& profile) {
  EnginePlan plan(profile, "jobs_wait_without_a_message");
  plan.dispatcher();
  plan.worker(listener());
  for (int i = 0; i < 3; ++i) plan.job(working_for(plan.lease() / 3), announced);
  plan.wait(plan.lease() * 3);
  return plan.done();
}

Plan two_hear_of_one_job(const Profile& profile) {
  EnginePlan plan(profile, "two_hear_of_one_job");
  plan.dispatcher({.every = 3s});
  plan.dispatcher({.every = 4s});
  plan.worker({.concurrency = 2});
  plan.worker(listener());
  for (int i = 0; i < 3; ++i) plan.job(working_for(plan.lease() / 2), announced);
  plan.wait(plan.lease() * 3);
  return plan.done();
}

Plan a_dispatcher_begins_anew(const Profile& profile) {
  EnginePlan plan(profile, "a_dispatcher_begins_anew");
  const int dispatcher = plan.dispatcher();
  const int worker = plan.worker(listener(2));
  plan.wait(1s);
  plan.stop(dispatcher);
  plan.wait(1s);
  for (int i = 0; i < 3; ++i) plan.job("fail | ok to events", twice);
  plan.wait(1s);
  plan.start(dispatcher);
  plan.wait(10s);
  plan.stop(worker);
  plan.wait(40s);
  for (int i = 0; i < 2; ++i) plan.job("ok", announced);
  // What nobody takes is announced again, as if for the first time.
  for (int i = 0; i < 2; ++i) {
    plan.wait(80s);
    plan.stop(dispatcher);
    plan.wait(1s);
    plan.start(dispatcher);
  }
  plan.wait(80s);
  plan.start(worker);
  plan.wait(1min);
  return plan.done();
}

// Its handlers do not return when they are told to: their leases run out.
Plan leases_are_left_to_run_out(const Profile& profile) {
  EnginePlan plan(profile, "leases_are_left_to_run_out");
  const Duration lease = plan.lease();
  plan.dispatcher();
  WorkerSpec spec = listener(2);
  spec.grace = lease / 10;
  spec.interruption = lease / 10;
  const int worker = plan.worker(spec);
  const std::string deaf = working_for(lease) + " deaf " + std::to_string(to_ms(lease * 2));
  plan.job(deaf + " | ok", announced);
  plan.job(deaf + " | ok", {.limit = 1, .announced = true});
  plan.wait(lease / 4);
  plan.stop(worker);
  plan.wait(lease * 4);
  plan.start(worker);
  plan.wait(lease * 2);
  return plan.done();
}

// --- where something goes wrong ---

Plan everybody_dies_between_change_and_message(const Profile& profile) {
  EnginePlan plan(profile, "everybody_dies_between_change_and_message");
  const int dispatcher = plan.dispatcher({.every = 2s});
  const int worker = plan.worker(listener(2));
  for (int i = 0; i < 4; ++i) plan.job("fail | ok to events", twice);
  plan.wait(500ms);
  plan.kill(dispatcher);
  plan.wait(3s);
  for (int i = 0; i < 2; ++i) plan.job("fail | ok", twice);
  plan.kill(worker);
  plan.wait(3s);
  plan.start(dispatcher);
  plan.start(worker);
  plan.wait(2500ms);
  plan.kill(dispatcher);
  plan.kill(worker);
  plan.wait(1s);
  plan.start(dispatcher);
  plan.start(worker);
  plan.wait(plan.lease() * 2);
  return plan.done();
}

Plan a_listening_worker_dies(const Profile& profile) {
  EnginePlan plan(profile, "a_listening_worker_dies");
  plan.dispatcher();
  const int first = plan.worker(listener(3));
  plan.job(working_for(plan.lease()), announced);
  plan.job(working_for(plan.lease()), {.limit = 1, .announced = true});
  plan.wait(plan.lease() / 4);
  plan.kill(first);
  // The lease ends while nobody is there to look.
  plan.wait(plan.lease() * 2);
  plan.start(first);
  plan.wait(plan.lease() * 3);
  return plan.done();
}

Plan one_listens_while_another_dies(const Profile& profile) {
  EnginePlan plan(profile, "one_listens_while_another_dies");
  plan.dispatcher();
  const int first = plan.worker(listener());
  plan.worker(listener());
  for (int i = 0; i < 4; ++i) plan.job(working_for(plan.lease() * 2), announced);
  plan.wait(plan.lease() / 4);
  plan.kill(first);
  plan.wait(plan.lease() * 5);
  return plan.done();
}

Plan messages_are(const Profile& profile, std::string_view name, std::string_view fault,
                  std::map<std::string, std::int64_t> with) {
  EnginePlan plan(profile, name);
  plan.dispatcher();
  for (int i = 0; i < 2; ++i) plan.worker(listener(2));
  const int spoiled = plan.begin_fault(fault, -1, std::move(with));
  for (int i = 0; i < 3; ++i) plan.job(working_for(plan.lease() * 3 / 2), announced);
  for (int i = 0; i < 3; ++i) plan.job("fail | ok", twice);
  plan.wait(plan.lease() * 2);
  plan.end_fault(spoiled);
  plan.wait(plan.lease() * 2);
  return plan.done();
}

Plan messages_are_lost(const Profile& profile) {
  return messages_are(profile, "messages_are_lost", "drop_wakeups", {{"percent", 100}});
}
Plan messages_come_twice(const Profile& profile) {
  return messages_are(profile, "messages_come_twice", "duplicate_wakeups", {{"percent", 100}});
}
Plan messages_come_late(const Profile& profile) {
  return messages_are(profile, "messages_come_late", "delay_wakeups",
                      {{"percent", 80}, {"within_ms", to_ms(profile.lease_ttl)}});
}
Plan messages_overtake_each_other(const Profile& profile) {
  return messages_are(profile, "messages_overtake_each_other", "reorder_wakeups",
                      {{"percent", 60}});
}
Plan messages_are_seen_by_others(const Profile& profile) {
  return messages_are(profile, "messages_are_seen_by_others", "redeliver_wakeups",
                      {{"percent", 100}, {"within_ms", to_ms(profile.lease_ttl / 4)}});
}

Scenario heard_of(std::string_view name, std::string_view summary,
                  std::vector<std::string_view> triggers, Plan (*plan)(const Profile&),
                  Level level = Level::contract, std::string_view needs = "outbox & wakeups") {
  return {name, summary, needs, std::move(triggers), plan, level};
}

constexpr std::string_view by_name = "outbox & wakeups & claim_style=by_id";

}  // namespace

std::vector<Scenario> announcing() {
  return {
      heard_of("jobs_are_announced",
               "Jobs come with a row, a dispatcher announces them, a worker hears.",
               {"WAKE-1", "OUTBOX-2", "OUTBOX-5", "RETRY-10", "REAP-3"}, jobs_are_announced),
      heard_of("long_jobs_are_announced",
               "Handlers run for longer than their message stays hidden.", {"WAKE-5"},
               jobs_are_announced, Level::contract, by_name),
      heard_of("events_are_routed", "Jobs send events, of which one never arrives.",
               {"OUTBOX-2", "OUTBOX-5"}, events_are_routed),
      heard_of("failures_that_nobody_announced",
               "A worker without an outbox fails a job, whose time comes while nobody listens.",
               {"REAP-3"}, failures_that_nobody_announced),
      heard_of("leases_are_left_to_run_out",
               "A worker ends, its handlers do not return, and their leases run out.", {"REAP-1"},
               leases_are_left_to_run_out),
      heard_of("lost_leases_are_counted", "Leases run out in a job's last run, and before.",
               {"REAP-2"}, leases_are_left_to_run_out, Level::contract,
               "outbox & wakeups & expiry_counts=yes"),
      heard_of("jobs_wait_without_a_message",
               "The message about a job is gone before anybody can run it.", {"STATE-5"},
               jobs_wait_without_a_message, Level::contract, "outbox & wakeups & claim_style=next"),
      heard_of("two_hear_of_one_job", "A worker hears of jobs that another one has.",
               {"XWORK-3", "WAKE-1"}, two_hear_of_one_job),
      heard_of("a_dispatcher_begins_anew",
               "A dispatcher ends with rows to be dealt with, and starts.",
               {"OUTBOX-3", "OUTBOX-6", "XOUT-1", "WAKE-2"}, a_dispatcher_begins_anew),
      heard_of(
          "everybody_dies_between_change_and_message",
          "Worker and dispatcher die between a job's change and the message that speaks of it.",
          {"OUTBOX-1", "OUTBOX-3"}, everybody_dies_between_change_and_message, Level::chaos),
      heard_of("a_listening_worker_dies",
               "A worker dies with jobs that it heard of, and nobody listens.",
               {"REAP-1", "WAKE-6"}, a_listening_worker_dies, Level::chaos),
      heard_of("one_listens_while_another_dies",
               "A message comes again to somebody while a dead worker's lease still lasts.",
               {"WAKE-4"}, one_listens_while_another_dies, Level::chaos, by_name),
      heard_of("messages_are_lost", "No message arrives for a while.", {"WAKE-3", "STATE-5"},
               messages_are_lost, Level::chaos),
      heard_of("messages_come_twice", "Every message comes twice.", {"WAKE-2"}, messages_come_twice,
               Level::chaos),
      heard_of("messages_come_late", "Messages come up to a lease late.", {"WAKE-1"},
               messages_come_late, Level::chaos),
      heard_of("messages_overtake_each_other", "Messages overtake each other.", {"WAKE-1"},
               messages_overtake_each_other, Level::chaos),
      heard_of("messages_are_seen_by_others",
               "Messages are shown to others while the job that they speak of runs.", {"WAKE-4"},
               messages_are_seen_by_others, Level::chaos, by_name),
  };
}

}  // namespace assay::scenarios
