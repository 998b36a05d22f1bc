#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan same_key(const Profile& profile) {
  PlanBuilder p(profile, "the_same_key_is_one_job");
  const JobRef first = p.enqueue({.payload = text_payload("one"), .key = "k"});
  p.enqueue({.payload = text_payload("one"), .key = "k"});
  p.enqueue({.payload = text_payload("two"), .limit = 9, .key = "k"});
  p.enqueue({.id = "own-id", .payload = text_payload("one"), .key = "k"});
  p.get(first);
  const ClaimRef c = p.claim(p.w1, first);
  p.enqueue({.key = "k"});
  p.reserve(p.w2, {.job = first});
  p.get(first);
  p.ack(p.w1, c);
  return p.build();
}

Plan key_scope(const Profile& profile) {
  PlanBuilder p(profile, "a_key_counts_within_its_scope");
  p.enqueue({.queue = "a", .type = "t", .key = "k"});
  p.enqueue({.queue = "b", .type = "t", .key = "k"});
  p.enqueue({.queue = "a", .type = "u", .key = "k"});
  p.enqueue({.queue = "b", .type = "u", .key = "k"});
  p.enqueue({.queue = "a", .type = "t", .key = "K"});
  p.enqueue({.queue = "a", .type = "t", .key = "k "});
  p.enqueue({.queue = "a:k", .type = "t", .key = "x"});
  p.enqueue({.queue = "a", .type = "t", .key = "k:x"});
  return p.build();
}

Plan no_key(const Profile& profile) {
  PlanBuilder p(profile, "jobs_without_keys_are_never_merged");
  p.enqueue({.payload = text_payload("same")});
  p.enqueue({.payload = text_payload("same")});
  if (profile.idem != Idem::none) p.enqueue({.payload = text_payload("same"), .key = "k"});
  p.enqueue({.payload = text_payload("same")});
  if (p.has("list_paged")) p.list("q");
  return p.build();
}

Plan key_in_every_state(const Profile& profile) {
  PlanBuilder p(profile, "a_key_is_active_until_the_job_ends");
  const JobRef job = p.enqueue({.limit = 9, .key = "k"});
  p.enqueue({.key = "k"});
  const ClaimRef c = p.claim(p.w1, job, 10s);
  p.enqueue({.key = "k"});
  p.advance_to_expiry(c);
  p.enqueue({.key = "k"});
  const ClaimRef again = p.reclaim(p.w2, c, 10s);
  p.record_failure(p.w2, again, {.delay = 1min});
  p.enqueue({.key = "k"});
  p.advance_to_due(job);
  p.enqueue({.key = "k"});
  p.get(job);
  return p.build();
}

Plan key_after_done(const Profile& profile) {
  PlanBuilder p(profile, "the_same_key_after_the_job_is_done");
  const JobRef job = p.enqueue({.key = "k"});
  const ClaimRef c = p.claim(p.w1, job);
  p.ack(p.w1, c);
  const JobRef next = p.enqueue({.payload = text_payload("later"), .key = "k"});
  p.enqueue({.key = "k"});
  p.ack(p.w1, c);
  p.ack(p.w1, p.claim(p.w1, next));
  p.enqueue({.key = "k"});
  p.get(job);
  return p.build();
}

Plan key_after_death(const Profile& profile) {
  PlanBuilder p(profile, "the_same_key_after_the_job_is_dead");
  const JobRef job = p.enqueue({.limit = 3, .key = "k"});
  p.dead_letter(p.w1, p.claim(p.w1, job));
  const JobRef next = p.enqueue({.payload = text_payload("later"), .key = "k"});
  p.enqueue({.key = "k"});
  p.claim(p.w1, next);
  p.get(job);
  return p.build();
}

Plan key_after_cancel(const Profile& profile) {
  PlanBuilder p(profile, "the_same_key_after_a_cancel");
  const JobRef job = p.enqueue({.key = "k"});
  p.cancel(job);
  const JobRef next = p.enqueue({.key = "k"});
  p.claim(p.w1, next);
  p.cancel(next);
  p.enqueue({.key = "k"});
  return p.build();
}

Plan replay_takes_key(const Profile& profile) {
  PlanBuilder p(profile, "a_replay_takes_its_key_back");
  const JobRef job = p.enqueue({.limit = 3, .key = "k"});
  p.dead_letter(p.w1, p.claim(p.w1, job));
  const JobRef again = p.requeue(job);
  p.enqueue({.key = "k"});
  p.get(again);
  p.ack(p.w1, p.claim(p.w1, again));
  p.enqueue({.key = "k"});
  return p.build();
}

Plan replay_key_taken(const Profile& profile) {
  PlanBuilder p(profile, "a_replay_whose_key_is_taken_is_refused");
  const JobRef job = p.enqueue({.limit = 3, .key = "k"});
  p.dead_letter(p.w1, p.claim(p.w1, job));
  const JobRef holder = p.enqueue({.key = "k"});
  p.requeue(job);
  p.dead("q");
  p.list("q");
  const ClaimRef c = p.claim(p.w1, holder);
  p.requeue(job);
  p.ack(p.w1, c);
  const JobRef again = p.requeue(job);
  p.dead("q");
  p.enqueue({.key = "k"});
  p.ack(p.w1, p.claim(p.w1, again));
  return p.build();
}

Plan scheduled_key(const Profile& profile) {
  PlanBuilder p(profile, "the_key_of_a_scheduled_job_counts");
  const JobRef job = p.enqueue({.when = from_now(1h), .key = "k"});
  p.enqueue({.key = "k"});
  p.enqueue({.when = from_now(2h), .key = "k"});
  p.get(job);
  p.claim(p.w1, job);
  p.advance_to_due(job);
  p.claim(p.w1, job);
  return p.build();
}

}  // namespace

std::vector<Scenario> keys() {
  return {
      {"the_same_key_is_one_job",
       "The same key again, with the same and with other content, makes no second job.",
       "idem!=none",
       {"IDEMP-1", "IDEMP-2", "IDEMP-3", "XIDEMP-1", "ERR-3"},
       same_key},
      {"a_key_counts_within_its_scope",
       "Keys of other queues and types, and keys that look alike.",
       "idem!=none",
       {"IDEMP-2", "XIDEMP-1"},
       key_scope},
      {"jobs_without_keys_are_never_merged",
       "Equal jobs without a key are different jobs, and none existed before.",
       "",
       {"ENQ-1"},
       no_key},
      {"a_key_is_active_until_the_job_ends",
       "The key of a leased, expired and waiting job counts.",
       "idem!=none",
       {"IDEMP-1", "IDEMP-2", "IDEMP-3", "ERR-3"},
       key_in_every_state},
      {"the_same_key_after_the_job_is_done",
       "Done: the key is free again, or names the done job for ever.",
       "idem!=none",
       {"IDEMP-1", "IDEMP-4", "IDEMP-5"},
       key_after_done},
      {"the_same_key_after_the_job_is_dead",
       "Dead: the key is free again, or names the dead job for ever.",
       "idem!=none",
       {"IDEMP-1", "IDEMP-4", "IDEMP-5"},
       key_after_death},
      {"the_same_key_after_a_cancel",
       "Cancelled, waiting or leased: the key is free again, or names the cancelled job for ever.",
       "idem!=none & cancel",
       {"IDEMP-1", "IDEMP-4", "IDEMP-5", "CANCEL-1"},
       key_after_cancel},
      {"a_replay_takes_its_key_back",
       "After a replay the key is active again.",
       "idem!=none & dlq_ops & replay!=none",
       {"IDEMP-7", "DLQ-5"},
       replay_takes_key},
      {"a_replay_whose_key_is_taken_is_refused",
       "A replay while another job holds the key changes nothing; later it works.",
       "idem=reject_active & dlq_ops & replay!=none & list_paged",
       {"IDEMP-7", "IDEMP-8", "DLQ-8"},
       replay_key_taken},
      {"the_key_of_a_scheduled_job_counts",
       "A job that is not due holds its key.",
       "idem!=none & schedule_at_enqueue",
       {"IDEMP-1", "IDEMP-2", "IDEMP-3"},
       scheduled_key},
  };
}

}  // namespace assay::scenarios
