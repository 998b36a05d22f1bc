#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

JobRef dead_job(PlanBuilder& p, const JobArgs& args = {}) {
  const JobRef job = p.enqueue(args);
  p.dead_letter(p.w1, p.claim(p.w1, job), {.error = "why it died"});
  return job;
}

Plan obituary(const Profile& profile) {
  PlanBuilder p(profile, "a_dead_letter_tells_why");
  const JobRef job = p.enqueue({.payload = pattern_payload(300), .limit = 4, .timeout = 9s});
  p.record_failure(p.w1, p.claim(p.w1, job), {.delay = 2s, .error = "first"});
  p.advance_to_due(job);
  p.dead_letter(p.w2, p.claim(p.w2, job), {.error = "final"});
  if (p.has("dlq_ops")) p.dead("q");
  p.advance(24h * 30);
  p.get(job);
  p.claim(p.w1, job);
  if (p.has("dlq_ops")) p.dead("q");
  return p.build();
}

Plan listed_apart(const Profile& profile) {
  PlanBuilder p(profile, "dead_letters_are_listed_by_queue");
  dead_job(p, {.queue = "a"});
  p.advance(1s);
  dead_job(p, {.queue = "b"});
  const JobRef alive = p.enqueue({.queue = "a"});
  dead_job(p, {.queue = "c"});
  p.claim(p.w1, alive);
  for (const char* queue : {"a", "b", "c", "nothing"}) p.dead(queue);
  return p.build();
}

Plan paged(const Profile& profile) {
  PlanBuilder p(profile, "dead_letters_are_paged");
  for (int i = 0; i < 4; ++i) {
    dead_job(p);
    if (i % 2 == 0) p.advance(1s);
  }
  for (const std::int64_t limit : {1, 2, 3, 4, 5}) {
    p.dead("q", limit);
    for (std::int64_t seen = limit; seen < 4; seen += limit) p.dead_more("q", limit);
  }
  return p.build();
}

Plan one_record(const Profile& profile) {
  PlanBuilder p(profile, "a_repeated_failure_makes_one_dead_letter");
  const JobRef job = p.enqueue({.limit = 5});
  const ClaimRef c = p.claim(p.w1, job);
  for (int i = 0; i < 3; ++i) {
    p.dead_letter(p.w1, c);
    p.advance(1s);
  }
  p.dead("q");
  return p.build();
}

Plan requeue_runs_again(const Profile& profile) {
  PlanBuilder p(profile, "a_requeued_job_runs_again");
  for (const bool reset : {false, true}) {
    const JobRef job = dead_job(p, {.limit = 5});
    const JobRef again = p.requeue(job, reset);
    p.dead("q");
    const ClaimRef c = p.claim(p.w2, again);
    p.record_failure(p.w2, c, {.delay = 1s});
    p.advance_to_due(again);
    p.ack(p.w2, p.claim(p.w2, again));
    p.dead("q");
  }
  return p.build();
}

Plan requeue_later(const Profile& profile) {
  PlanBuilder p(profile, "a_job_requeued_for_later_waits");
  const JobRef job = dead_job(p, {.limit = 5});
  const JobRef again = p.requeue(job, false, from_now(1min));
  p.claim(p.w1, again);
  p.advance_to_due(again, -p.tick());
  p.claim(p.w1, again);
  p.advance_to_due(again);
  p.ack(p.w1, p.claim(p.w1, again));
  return p.build();
}

Plan requeue_refused(const Profile& profile) {
  PlanBuilder p(profile, "only_a_dead_job_is_requeued");
  p.requeue(literal_job("nobody-knows-this-one"));
  const JobRef job = p.enqueue({.limit = 5});
  p.requeue(job);
  const ClaimRef c = p.claim(p.w1, job);
  p.requeue(job);
  p.record_failure(p.w1, c, {.delay = 1h});
  p.requeue(job);
  p.advance_to_due(job);
  p.ack(p.w1, p.claim(p.w1, job));
  p.requeue(job, true, from_now(1s));
  if (p.has("cancel")) {
    const JobRef cancelled = p.enqueue({.queue = "r"});
    p.cancel(cancelled);
    p.requeue(cancelled);
  }
  return p.build();
}

Plan requeue_twice(const Profile& profile) {
  PlanBuilder p(profile, "a_dead_letter_is_replayed_once");
  const JobRef job = dead_job(p, {.limit = 5});
  const JobRef again = p.requeue(job);
  p.requeue(job);
  p.list("q");
  p.ack(p.w1, p.claim(p.w1, again));
  p.requeue(job);
  p.claim(p.w1, again);
  p.dead("q");
  return p.build();
}

Plan die_again(const Profile& profile) {
  PlanBuilder p(profile, "a_replayed_job_may_die_again");
  const JobRef job = dead_job(p, {.limit = 5});
  const JobRef again = p.requeue(job, true);
  p.dead_letter(p.w2, p.claim(p.w2, again), {.error = "second death"});
  p.dead("q");
  const JobRef third = p.requeue(again, true);
  p.ack(p.w2, p.claim(p.w2, third));
  p.dead("q");
  return p.build();
}

Plan old_token_after_replay(const Profile& profile) {
  PlanBuilder p(profile, "a_token_from_before_the_replay_is_stale");
  const JobRef job = p.enqueue({.limit = 5});
  const ClaimRef before = p.claim(p.w1, job);
  p.dead_letter(p.w1, before);
  const JobRef again = p.requeue(job);
  p.dead_letter(p.w1, before);
  p.ack(p.w1, before);
  const ClaimRef after = p.claim(p.w2, again);
  p.dead_letter(p.w1, before);
  p.ack(p.w1, before);
  p.ack(p.w2, after);
  return p.build();
}

}  // namespace

std::vector<Scenario> dead_letters() {
  return {
      {"a_dead_letter_tells_why",
       "Job data, reason, last error and time of a dead letter are kept.",
       "",
       {"DLQ-3", "DLQ-4", "DLQ-10"},
       obituary},
      {"dead_letters_are_listed_by_queue",
       "Each queue shows its own dead letters and no others.",
       "dlq_ops",
       {"DLQ-6", "DLQ-9", "DLQ-3"},
       listed_apart},
      {"dead_letters_are_paged",
       "Pages of one to five show each dead letter once.",
       "dlq_ops",
       {"DLQ-6"},
       paged},
      {"a_repeated_failure_makes_one_dead_letter",
       "A terminal failure that is reported three times leaves one record.",
       "dlq_ops",
       {"DLQ-9", "RETRY-11"},
       one_record},
      {"a_requeued_job_runs_again",
       "A dead job is requeued, with and without a reset of its counter, and runs.",
       "dlq_ops & replay!=none",
       {"DLQ-5", "DLQ-7", "XADMIN-3", "XMAN-1"},
       requeue_runs_again},
      {"a_job_requeued_for_later_waits",
       "A requeue may name a run time.",
       "dlq_ops & replay!=none & schedule_at_enqueue",
       {"DLQ-5", "XADMIN-3"},
       requeue_later},
      {"only_a_dead_job_is_requeued",
       "A requeue of an unknown, waiting, leased, done or cancelled job is refused.",
       "dlq_ops & replay!=none",
       {"XADMIN-3", "ERR-1"},
       requeue_refused},
      {"a_dead_letter_is_replayed_once",
       "The second replay of one dead letter is refused.",
       "dlq_ops & replay!=none & list_paged",
       {"XADMIN-3", "DLQ-5"},
       requeue_twice},
      {"a_replayed_job_may_die_again",
       "A replayed job that fails is a dead letter again, and replayable.",
       "dlq_ops & replay!=none",
       {"DLQ-5", "DLQ-9", "DLQ-3"},
       die_again},
      {"a_token_from_before_the_replay_is_stale",
       "A worker that held the job before it died has no say after the replay.",
       "dlq_ops & replay!=none",
       {"DLQ-5"},
       old_token_after_replay},
  };
}

}  // namespace assay::scenarios
