#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan due_boundary(const Profile& profile) {
  PlanBuilder p(profile, "due_one_tick_before_at_and_after");
  for (const Duration offset : {-p.tick(), 0ms, p.tick()}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .when = from_now(10s)});
    p.claim(p.w1, job);
    p.advance_to_due(job, offset);
    p.get(job);
    p.ack(p.w1, p.claim(p.w1, job));
    p.advance_to_due(job, p.tick());
    p.ack(p.w2, p.claim(p.w2, job));
  }
  return p.build();
}

Plan retry_boundary(const Profile& profile) {
  PlanBuilder p(profile, "retry_time_one_tick_before_at_and_after");
  for (const Duration offset : {-p.tick(), 0ms, p.tick()}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 5});
    p.record_failure(p.w1, p.claim(p.w1, job), {.delay = 10s});
    p.claim(p.w2, job);
    p.advance_to_due(job, offset);
    p.get(job);
    p.ack(p.w2, p.claim(p.w2, job));
    p.advance_to_due(job, p.tick());
    p.ack(p.w1, p.claim(p.w1, job));
  }
  return p.build();
}

Plan immediate_retry(const Profile& profile) {
  PlanBuilder p(profile, "a_retry_at_once_is_claimable_at_once");
  const JobRef job = p.enqueue({.limit = 9});
  for (int i = 0; i < 3; ++i) p.record_failure(p.w1, p.claim(p.w1, job), {.delay = 0ms});
  const JobRef past = p.enqueue({.queue = "r", .limit = 9});
  p.record_failure(p.w1, p.claim(p.w1, past), {.delay = -1h});
  p.ack(p.w2, p.claim(p.w2, past));
  p.ack(p.w2, p.claim(p.w2, job));
  return p.build();
}

Plan scheduled_turns_ready(const Profile& profile) {
  PlanBuilder p(profile, "a_scheduled_job_turns_ready_by_time_alone");
  const JobRef job = p.enqueue({.when = from_now(1min)});
  p.list("q", JobState::scheduled);
  p.list("q", JobState::ready);
  p.advance_to_due(job, -p.tick());
  p.get(job);
  p.list("q", JobState::scheduled);
  p.advance_to_due(job);
  p.get(job);
  p.list("q", JobState::scheduled);
  p.list("q", JobState::ready);
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

Plan waiting_does_not_block(const Profile& profile) {
  PlanBuilder p(profile, "a_waiting_job_does_not_block_a_ready_one");
  const JobRef later = p.enqueue({.when = from_now(1h)});
  const JobRef now = p.enqueue();
  p.ack(p.w1, p.claim(p.w1, now));
  p.claim(p.w1, later);
  p.advance_to_due(later);
  p.ack(p.w1, p.claim(p.w1, later));
  return p.build();
}

Plan long_wait(const Profile& profile) {
  PlanBuilder p(profile, "a_job_that_waits_for_months_is_kept");
  JobArgs args{.payload = pattern_payload(100), .limit = 5};
  if (profile.idem != Idem::none) args.key = "k";
  const JobRef ready = p.enqueue(args);
  p.advance(24h * 100);
  p.enqueue(args);
  p.record_failure(p.w1, p.claim(p.w1, ready), {.delay = 24h * 100});
  p.advance_to_due(ready, -p.tick());
  p.claim(p.w1, ready);
  p.advance(24h * 100);
  p.ack(p.w1, p.claim(p.w1, ready));
  return p.build();
}

}  // namespace

std::vector<Scenario> scheduling() {
  return {
      {"due_one_tick_before_at_and_after",
       "A scheduled job is claimed not a tick before its run time, and at it.",
       "schedule_at_enqueue",
       {"SCHED-1", "SCHED-2", "SCHED-4", "XSCHED-1", "CLAIM-2", "XCLOCK-1"},
       due_boundary},
      {"retry_time_one_tick_before_at_and_after",
       "A job that waits for a retry is claimed not a tick before its retry time, and at it.",
       "",
       {"SCHED-4", "SCHED-5", "SCHED-6", "XSCHED-1", "CLAIM-2", "RETRY-4", "RETRY-7", "RETRY-8"},
       retry_boundary},
      {"a_retry_at_once_is_claimable_at_once",
       "A retry time of now, or past, makes the job ready.",
       "decider=engine",
       {"SCHED-6", "RETRY-7"},
       immediate_retry},
      {"a_scheduled_job_turns_ready_by_time_alone",
       "Views and lists tell scheduled from ready by the clock.",
       "schedule_at_enqueue & inspect & list_paged",
       {"SCHED-4", "ADMIN-2", "XADMIN-1"},
       scheduled_turns_ready},
      {"a_waiting_job_does_not_block_a_ready_one",
       "A job that is not due is passed over, not waited for.",
       "schedule_at_enqueue",
       {"CLAIM-7", "SCHED-1", "SCHED-2"},
       waiting_does_not_block},
      {"a_job_that_waits_for_months_is_kept",
       "A ready job, its key and a retry outlast a hundred days each.",
       "",
       {"DUR-2", "ENQ-4", "SCHED-6"},
       long_wait},
  };
}

}  // namespace assay::scenarios
