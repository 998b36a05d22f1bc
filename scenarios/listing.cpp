#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr JobState all_states[] = {JobState::scheduled, JobState::ready, JobState::leased,
                                   JobState::done,      JobState::dead,  JobState::cancelled};

// A queue with a job in each state that the profile has.
void populate(PlanBuilder& p) {
  p.ack(p.w1, p.claim(p.w1, p.enqueue()));
  p.dead_letter(p.w1, p.claim(p.w1, p.enqueue()));
  p.claim(p.w1, p.enqueue(), 1h);
  p.advance(1ms);
  const JobRef waiting = p.enqueue({.limit = 9});
  p.record_failure(p.w1, p.claim(p.w1, waiting), {.delay = 1h});
  if (p.has("cancel")) p.cancel(p.enqueue());
  if (p.has("schedule_at_enqueue")) p.enqueue({.when = from_now(1h)});
  p.enqueue();
  p.enqueue({.queue = "r"});
}

Plan by_state(const Profile& profile) {
  PlanBuilder p(profile, "each_state_lists_its_jobs");
  populate(p);
  for (const JobState state : all_states) p.list("q", state);
  p.list("q");
  p.list("r");
  p.list("nothing");
  return p.build();
}

Plan pages(const Profile& profile) {
  PlanBuilder p(profile, "pages_of_every_size_show_each_job_once");
  for (int i = 0; i < 5; ++i) {
    p.enqueue();
    if (i % 2 == 1) p.advance(1ms);
  }
  for (const std::int64_t limit : {1, 2, 3, 4, 5, 6, 1000}) {
    p.list("q", {}, limit);
    for (std::int64_t seen = limit; seen < 5; seen += limit) p.list_more("q", {}, limit);
  }
  p.list("q", JobState::ready, 2);
  p.list_more("q", JobState::ready, 2);
  p.list_more("q", JobState::ready, 2);
  return p.build();
}

Plan moving_pages(const Profile& profile) {
  PlanBuilder p(profile, "paging_survives_changes_between_pages");
  JobRef jobs[6];
  for (JobRef& job : jobs) {
    job = p.enqueue();
    p.advance(1ms);
  }
  p.list("q", {}, 2);
  p.ack(p.w1, p.claim(p.w1, jobs[0]));
  p.enqueue();
  p.list_more("q", {}, 2);
  p.claim(p.w1, jobs[5]);
  p.list_more("q", {}, 2);
  p.list_more("q", {}, 2);
  return p.build();
}

Plan bad_cursor(const Profile& profile) {
  PlanBuilder p(profile, "a_cursor_from_elsewhere_is_refused");
  p.enqueue();
  for (const char* cursor : {"nonsense", "v1", "v0:1:x", "v2:0", "v1:not-a-number:x", "'"}) {
    Step list{.kind = StepKind::list, .client = p.admin, .queues = {"q"}, .limit = 10};
    list.cursor = cursor;
    p.step(list);
    if (!p.has("dlq_ops")) continue;
    Step dead{.kind = StepKind::dead, .client = p.admin, .queues = {"q"}, .limit = 10};
    dead.cursor = cursor;
    p.step(dead);
  }
  p.list("q");
  return p.build();
}

Plan lists_do_not_lie(const Profile& profile) {
  PlanBuilder p(profile, "what_a_list_calls_ready_can_be_claimed");
  JobRef jobs[3];
  for (JobRef& job : jobs) job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, jobs[0], 10s);
  p.list("q", JobState::ready);
  p.list("q", JobState::leased);
  p.claim(p.w2, jobs[1], 10s);
  p.claim(p.w2, jobs[2], 10s);
  p.list("q", JobState::ready);
  for (const JobRef& job : jobs) p.claim(p.w2, job);
  p.advance_to_expiry(held);
  p.list("q", JobState::leased);
  p.list("q", JobState::ready);
  for (const JobRef& job : jobs) p.claim(p.w2, job, 1h);
  p.list("q");
  return p.build();
}

Plan all_accounted_for(const Profile& profile) {
  PlanBuilder p(profile, "every_accepted_job_is_somewhere");
  std::vector<JobRef> jobs;
  for (int i = 0; i < 7; ++i) jobs.push_back(p.enqueue({.limit = 9}));
  p.ack(p.w1, p.claim(p.w1, jobs[0], 5s));
  p.record_failure(p.w1, p.claim(p.w1, jobs[1], 5s));
  p.dead_letter(p.w1, p.claim(p.w1, jobs[2], 5s));
  p.claim(p.w1, jobs[3], 5s);
  p.claim(p.w2, jobs[4], 24h * 9);
  p.advance(24h);
  for (const JobRef& job : jobs) p.get(job);
  p.list("q");
  for (const JobRef& job : jobs) p.claim(p.w2, job, 1h);
  for (const JobRef& job : jobs) p.get(job);
  return p.build();
}

Plan many(const Profile& profile) {
  PlanBuilder p(profile, "a_listing_reaches_the_last_of_many_jobs");
  for (int i = 0; i < 250; ++i) {
    Step step{.kind = StepKind::enqueue, .client = p.producer};
    step.queues = {"q"};
    step.type = "t";
    p.step(step);
    if (i % 100 == 0) p.advance(1ms);
  }
  p.list("q", JobState::ready, 100);
  for (int i = 0; i < 3; ++i) p.list_more("q", JobState::ready, 100);
  p.list("q", {}, 1000);
  return p.build();
}

}  // namespace

std::vector<Scenario> listing() {
  return {
      {"each_state_lists_its_jobs",
       "A job is listed under its own state and queue, and under no other.",
       "inspect & list_paged",
       {"ADMIN-2", "STATE-1", "STATE-2"},
       by_state},
      {"pages_of_every_size_show_each_job_once",
       "Pages of one, of two, of all but one, of exactly all and of more.",
       "list_paged",
       {"ADMIN-2", "XADMIN-2"},
       pages},
      {"paging_survives_changes_between_pages",
       "Jobs that stay are shown once although others come and go between two pages.",
       "list_paged",
       {"ADMIN-2"},
       moving_pages},
      {"a_listing_reaches_the_last_of_many_jobs",
       "Two hundred and fifty jobs are listed whole, in one page and in three.",
       "list_paged",
       {"ADMIN-2", "XADMIN-2"},
       many},
      {"a_cursor_from_elsewhere_is_refused",
       "A cursor that the driver did not make is an invalid argument.",
       "list_paged",
       {"XADMIN-2"},
       bad_cursor},
      {"what_a_list_calls_ready_can_be_claimed",
       "Ready jobs can be claimed, leased ones cannot until their lease is over.",
       "list_paged",
       {"XADMIN-1", "CLAIM-3", "CLAIM-8"},
       lists_do_not_lie},
      {"every_accepted_job_is_somewhere",
       "A day later every job can be fetched, and is where it was left.",
       "inspect & list_paged",
       {"DUR-2", "ADMIN-1", "STATE-2"},
       all_accounted_for},
  };
}

}  // namespace assay::scenarios
