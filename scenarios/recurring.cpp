// recurring: schedules whose windows come, are missed, and are fought for by two; and callers who
// name what they ask for.
#include "harness/plan/engine_build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;
using Missed = Recurring::Missed;

Recurring every_five_minutes(std::string name, Missed missed = Missed::latest,
                             std::int64_t bound = 3) {
  return {.name = std::move(name), .missed = missed, .bound = bound, .cron = "*/5 * * * *"};
}

Plan two_schedulers_share_a_schedule(const Profile& profile) {
  EnginePlan plan(profile, "two_schedulers_share_a_schedule");
  plan.worker({.concurrency = 2});
  plan.scheduler();
  plan.scheduler();
  plan.schedule(every_five_minutes("shared"), "100 ok");
  plan.schedule({.name = "mornings", .cron = "30-40/10 0-1 * JAN MON-FRI"}, "ok");
  plan.wait(37min);
  return plan.done();
}

Plan a_schedule_whose_jobs_die(const Profile& profile) {
  EnginePlan plan(profile, "a_schedule_whose_jobs_die");
  plan.worker({});
  plan.scheduler();
  plan.schedule(every_five_minutes("dying"), "unrecoverable", {.limit = 1});
  plan.wait(22min);
  return plan.done();
}

Plan a_schedule_is_paused(const Profile& profile) {
  EnginePlan plan(profile, "a_schedule_is_paused");
  plan.worker({});
  plan.scheduler();
  plan.schedule(every_five_minutes("pausing"), "ok");
  plan.wait(7min);
  plan.pause_schedule("pausing");
  plan.wait(16min);
  plan.resume_schedule("pausing");
  plan.wait(12min);
  return plan.done();
}

Plan windows_are_missed(const Profile& profile) {
  EnginePlan plan(profile, "windows_are_missed");
  plan.worker({.concurrency = 2});
  const int scheduler = plan.scheduler();
  plan.schedule(every_five_minutes("newest"), "ok");
  plan.schedule(every_five_minutes("skipping", Missed::skip), "ok");
  plan.schedule(every_five_minutes("catching", Missed::catch_up), "ok");
  plan.wait(7min);
  plan.stop(scheduler);
  plan.wait(31min);
  plan.start(scheduler);
  plan.wait(14min);
  return plan.done();
}

Plan a_scheduler_dies_and_another_is_cut_off(const Profile& profile) {
  EnginePlan plan(profile, "a_scheduler_dies_and_another_is_cut_off");
  plan.worker({.concurrency = 2});
  const int first = plan.scheduler();
  const int second = plan.scheduler();
  plan.schedule(every_five_minutes("fought_for", Missed::catch_up), "ok");
  plan.wait(299s);
  const int lost = plan.begin_fault("answers_lost", first);
  plan.wait(2s);
  plan.kill(second);
  plan.wait(10min);
  plan.end_fault(lost);
  const int away = plan.begin_fault("store_away", first);
  plan.wait(21min);
  plan.end_fault(away);
  plan.start(second);
  plan.wait(12min);
  return plan.done();
}

constexpr std::string_view ways[] = {"submit", "submit_and_wait", "send_event"};

Plan callers_repeat_themselves(const Profile& profile) {
  EnginePlan plan(profile, "callers_repeat_themselves");
  plan.worker({.concurrency = 3});
  const int first = plan.caller(), second = plan.caller();
  for (const std::string_view way : ways) {
    const std::string key = "key-of-" + std::string(way);
    plan.order(first, way, "2000 ok", {.key = key});
    plan.order(second, way, "2000 ok", {.key = key});
    plan.wait(1s);
    plan.order(first, way, "2000 ok", {.key = key});
    plan.wait(5s);
  }
  return plan.done();
}

Plan callers_whose_answers_are_lost(const Profile& profile) {
  EnginePlan plan(profile, "callers_whose_answers_are_lost");
  plan.worker({.concurrency = 3});
  const int caller = plan.caller();
  for (const std::string_view way : ways) {
    const int lost = plan.begin_fault("answers_lost", caller);
    plan.order(caller, way, "ok", {.key = "lost-" + std::string(way)});
    plan.wait(50ms);
    plan.end_fault(lost);
    plan.wait(20s);
    plan.order(caller, way, "ok", {.key = "lost-" + std::string(way)});
    plan.wait(5s);
  }
  return plan.done();
}

}  // namespace

std::vector<Scenario> recurring() {
  return {
      {"two_schedulers_share_a_schedule",
       "Two schedulers see the same windows come.",
       "",
       {"XCRON-1"},
       two_schedulers_share_a_schedule},
      {"a_schedule_whose_jobs_die",
       "Each job of a schedule fails for good.",
       "",
       {"XCRON-1"},
       a_schedule_whose_jobs_die},
      {"a_schedule_is_paused",
       "Windows pass while their schedule is paused.",
       "",
       {"XCRON-1"},
       a_schedule_is_paused},
      {"windows_are_missed",
       "Nobody sees some windows come, under each policy.",
       "",
       {"XCRON-1"},
       windows_are_missed},
      {"a_scheduler_dies_and_another_is_cut_off",
       "One scheduler loses its answers and its store, the other its life.",
       "",
       {"XCRON-1"},
       a_scheduler_dies_and_another_is_cut_off,
       Level::chaos},
      {"callers_repeat_themselves",
       "Callers hand in the same again, in each way there is.",
       "idem!=none",
       {"IDEMP-9"},
       callers_repeat_themselves},
      {"callers_whose_answers_are_lost",
       "What callers hand in is stored, and they hear nothing.",
       "idem!=none",
       {"IDEMP-9"},
       callers_whose_answers_are_lost,
       Level::chaos},
  };
}

}  // namespace assay::scenarios
