// Lines between clients and their store that are cut, lose what is sent, are slow, or break.
#include "harness/plan/account.h"
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan past_its_lease(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_is_cut_off_past_its_lease");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef stale = p.claim(p.w1, job, 10s);
  const int cut = p.fault("partition", p.w1);
  p.extend(p.w1, stale, 10s);
  const ClaimRef heir = p.reclaim(p.w2, stale, 60s);
  p.end_fault(cut);
  p.ack(p.w1, stale);
  p.ack(p.w2, heir);
  return p.build();
}

Plan reply_to_keyed_enqueue(const Profile& profile) {
  PlanBuilder p(profile, "the_reply_to_an_enqueue_with_a_key_is_lost");
  const std::string queue = p.fresh_queue();
  const int lossy = p.fault("lose_replies", p.producer);
  p.enqueue({.queue = queue, .limit = 9, .key = "k"});
  p.end_fault(lossy);
  const JobRef again = p.enqueue({.queue = queue, .limit = 9, .key = "k"});
  p.ack(p.w1, p.claim(p.w1, again));
  return with_account(p.build(), profile);
}

Plan reply_to_enqueue(const Profile& profile) {
  PlanBuilder p(profile, "the_reply_to_an_enqueue_is_lost");
  const std::string queue = p.fresh_queue();
  const int lossy = p.fault("lose_replies", p.producer);
  p.enqueue({.queue = queue, .limit = 9});
  p.end_fault(lossy);
  const JobRef again = p.enqueue({.queue = queue, .limit = 9});
  p.get(again);
  return with_account(p.build(), profile);
}

// Whether it was done shows when it is tried again, or when the lease is over.
template <class Settle>
Plan settle_lost(const Profile& profile, const char* name, const char* fault, Settle settle) {
  PlanBuilder p(profile, name);
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10s);
  const int lossy = p.fault(fault, p.w1);
  settle(p, held);
  p.end_fault(lossy);
  settle(p, held);
  return with_account(p.build(), profile);
}
Plan reply_to_ack(const Profile& profile) {
  return settle_lost(profile, "the_reply_to_an_ack_is_lost", "lose_replies",
                     [](PlanBuilder& p, ClaimRef held) { p.ack(p.w1, held); });
}
Plan ack_lost(const Profile& profile) {
  return settle_lost(profile, "an_ack_is_lost", "lose_requests",
                     [](PlanBuilder& p, ClaimRef held) { p.ack(p.w1, held); });
}
Plan reply_to_failure(const Profile& profile) {
  return settle_lost(profile, "the_reply_to_a_failure_is_lost", "lose_replies",
                     [](PlanBuilder& p, ClaimRef held) { p.record_failure(p.w1, held); });
}

Plan reply_to_claim(const Profile& profile) {
  PlanBuilder p(profile, "the_reply_to_a_claim_is_lost");
  const JobRef job = p.enqueue({.limit = 9});
  const int lossy = p.fault("lose_replies", p.w1);
  p.claim(p.w1, job, 10s);
  p.end_fault(lossy);
  p.reserve(p.w2, {.job = job});
  return with_account(p.build(), profile);
}

Plan requeue_cut(const Profile& profile) {
  PlanBuilder p(profile, "a_requeue_meets_a_partition");
  const JobRef job = p.enqueue({.limit = 9});
  p.dead_letter(p.w1, p.claim(p.w1, job));
  const int cut = p.fault("lose_replies", p.admin);
  p.requeue(job, true);
  p.end_fault(cut);
  return with_account(p.build(), profile);
}

Plan pause_cut(const Profile& profile) {
  PlanBuilder p(profile, "a_pause_meets_a_partition");
  const JobRef job = p.enqueue({.limit = 9});
  const int cut = p.fault("lose_replies", p.admin);
  p.pause();
  p.end_fault(cut);
  p.pause();
  p.reserve(p.w1, {.job = job});
  p.resume();
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

// A line that is only slow, narrow or cut into pieces breaks no promise.
Plan life_of_a_job(const Profile& profile, const char* name, const char* fault) {
  PlanBuilder p(profile, name);
  const int bad = p.fault_of_all(fault);
  const JobRef job = p.enqueue({.payload = pattern_payload(2'000), .limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10s);
  p.extend(p.w1, held, 20s);
  p.record_failure(p.w1, held);
  p.advance(profile.backoff.cap + 21s);
  p.ack(p.w2, p.claim(p.w2, job));
  p.end_fault(bad);
  return p.build();
}
Plan slow(const Profile& profile) {
  return life_of_a_job(profile, "a_slow_network_makes_every_call_late", "slow_network");
}
Plan narrow(const Profile& profile) {
  return life_of_a_job(profile, "a_narrow_network_makes_every_call_long", "narrow_network");
}
Plan sliced(const Profile& profile) {
  return life_of_a_job(profile, "a_network_cuts_everything_into_pieces", "sliced_network");
}

// Lines that break, and are whole again when the next call is made.
Plan broken(const Profile& profile, const char* name, const char* fault) {
  PlanBuilder p(profile, name);
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10s);
  const int bad = p.fault(fault, p.w1);
  p.extend(p.w1, held, 20s);
  p.end_fault(bad);
  p.ack(p.w1, held);
  return with_account(p.build(), profile);
}
Plan reset(const Profile& profile) {
  return broken(profile, "a_connection_is_reset_in_a_call", "reset_connections");
}
Plan cut_short(const Profile& profile) {
  return broken(profile, "a_connection_ends_in_the_middle_of_an_answer", "cut_at_byte");
}

Plan nobody_let_in(const Profile& profile) {
  PlanBuilder p(profile, "nobody_reaches_the_store_for_a_while");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10min);
  const int outage = p.fault_of_all("refuse_connections");
  p.ack(p.w1, held);
  p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  p.end_fault(outage);
  p.ack(p.w1, held);
  return with_account(p.build(), profile);
}

// The store has forgotten the connection; the worker has not, and waits for an answer.
Plan half_open(const Profile& profile) {
  PlanBuilder p(profile, "a_connection_is_half_open");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10min);
  const int open = p.fault("half_open", p.w1);
  p.extend(p.w1, held, 20min);
  p.end_fault(open);
  p.ack(p.w1, held);
  return with_account(p.build(), profile);
}

}  // namespace

std::vector<Scenario> partitions() {
  constexpr Level chaos = Level::chaos;
  constexpr std::string_view shared = "shared_storage";
  return {
      {"a_worker_is_cut_off_past_its_lease",
       "A worker's line is dead until another one has its job; then it acks.",
       shared,
       {"FENCE-2"},
       past_its_lease,
       chaos},
      {"the_reply_to_an_enqueue_with_a_key_is_lost",
       "A producer does not hear whether its job was taken, and asks again with the same key.",
       "shared_storage&idem!=none",
       {"ACK-1"},
       reply_to_keyed_enqueue,
       chaos},
      {"the_reply_to_an_enqueue_is_lost",
       "A producer does not hear whether its job was taken, and enqueues it again.",
       shared,
       {"ACK-1"},
       reply_to_enqueue,
       chaos},
      {"the_reply_to_an_ack_is_lost",
       "A worker does not hear whether its ack counted.",
       shared,
       {"CLAIM-2"},
       reply_to_ack,
       chaos},
      {"an_ack_is_lost",
       "A worker's ack does not reach the store; it acks again.",
       shared,
       {"CLAIM-2"},
       ack_lost,
       chaos},
      {"the_reply_to_a_failure_is_lost",
       "A worker does not hear whether its failure was noted.",
       shared,
       {"CLAIM-2"},
       reply_to_failure,
       chaos},
      {"the_reply_to_a_claim_is_lost",
       "A worker was given a job and does not know; when the lease is over, another one gets it.",
       shared,
       {"ENQ-1"},
       reply_to_claim,
       chaos},
      {"a_requeue_meets_a_partition",
       "An admin does not hear whether its requeue counted.",
       "shared_storage&dlq_ops",
       {"CLAIM-2"},
       requeue_cut,
       chaos},
      {"a_pause_meets_a_partition",
       "An admin does not hear whether its pause counted.",
       "shared_storage&pause",
       {"ACK-1"},
       pause_cut,
       chaos},
      {"a_slow_network_makes_every_call_late",
       "Every request and every answer comes late.",
       shared,
       {"ACK-1", "LEASE-5"},
       slow,
       chaos},
      {"a_narrow_network_makes_every_call_long",
       "Little gets through at a time.",
       shared,
       {"ACK-1", "LEASE-5"},
       narrow,
       chaos},
      {"a_network_cuts_everything_into_pieces",
       "Requests and answers come in small pieces.",
       shared,
       {"ACK-1", "LEASE-5"},
       sliced,
       chaos},
      {"a_connection_is_reset_in_a_call",
       "A worker's connection is reset while it extends.",
       shared,
       {"CLAIM-2"},
       reset,
       chaos},
      {"a_connection_ends_in_the_middle_of_an_answer",
       "A worker's connection ends when a part of the answer is here.",
       shared,
       {"CLAIM-2"},
       cut_short,
       chaos},
      {"nobody_reaches_the_store_for_a_while",
       "Every connection is closed and none is let in; then all go on.",
       shared,
       {"CLAIM-2"},
       nobody_let_in,
       chaos},
      {"a_connection_is_half_open",
       "The store's side of a worker's connection is gone while it extends, and nobody tells it.",
       shared,
       {"CLAIM-2"},
       half_open,
       chaos},
  };
}

}  // namespace assay::scenarios
