#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan stale_token(const Profile& profile) {
  PlanBuilder p(profile, "a_stale_token_settles_nothing");
  for (const SettleKind kind : all_settles) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 5});
    const ClaimRef stale = p.claim(p.w1, job, 10s);
    const ClaimRef held = p.reclaim(p.w2, stale, 10s);
    p.settle(p.w1, kind, stale);
    p.ack(p.w2, held);
    p.settle(p.w1, kind, stale);
  }
  return p.build();
}

Plan stale_while_waiting(const Profile& profile) {
  PlanBuilder p(profile, "a_stale_token_settles_nothing_while_the_job_waits");
  for (const SettleKind kind : all_settles) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const ClaimRef stale = p.claim(p.w1, job, 10s);
    const ClaimRef held = p.reclaim(p.w2, stale, 10s);
    p.record_failure(p.w2, held, {.delay = 1h});
    p.settle(p.w1, kind, stale);
    p.advance_to_due(job);
    const ClaimRef last = p.claim(p.w2, job, 10s);
    p.settle(p.w1, kind, stale);
    p.settle(p.w1, kind, held);
    p.ack(p.w2, last);
  }
  return p.build();
}

Plan stale_own(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_that_reclaims_its_own_job_has_a_new_token");
  for (const SettleKind kind : all_settles) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 5});
    const ClaimRef first = p.claim(p.w1, job, 10s);
    const ClaimRef second = p.reclaim(p.w1, first, 10s);
    p.settle(p.w1, kind, first);
    p.settle(p.w1, kind, second);
    p.advance(24h);
  }
  return p.build();
}

Plan late_settle(const Profile& profile) {
  PlanBuilder p(profile, "a_settle_before_at_and_after_expiry");
  for (const SettleKind kind : all_settles) {
    for (const Duration offset : {-p.tick(), 0ms, p.tick()}) {
      const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 5});
      const ClaimRef c = p.claim(p.w1, job, 10s);
      p.advance_to_expiry(c, offset);
      p.get(job);
      p.settle(p.w1, kind, c);
      p.advance(1s);
      p.settle(p.w2, SettleKind::ack, p.claim(p.w2, job, 1s));
      p.advance(24h);
    }
  }
  return p.build();
}

Plan long_late_settle(const Profile& profile) {
  PlanBuilder p(profile, "a_settle_long_after_expiry");
  for (const SettleKind kind : all_settles) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 5});
    const ClaimRef c = p.claim(p.w1, job, 10s);
    p.advance(1h);
    p.settle(p.w1, kind, c);
    p.advance(24h);
    p.ack(p.w2, p.claim(p.w2, job, 10s));
  }
  return p.build();
}

Plan late_then_reclaimed(const Profile& profile) {
  PlanBuilder p(profile, "a_refused_late_settle_leaves_the_job_to_others");
  const JobRef job = p.enqueue({.limit = 5});
  const ClaimRef lost = p.claim(p.w1, job, 10s);
  p.advance_to_expiry(lost);
  p.ack(p.w1, lost);
  const ClaimRef held = p.claim(p.w2, job, 10s);
  p.ack(p.w1, lost);
  p.ack(p.w2, held);
  p.ack(p.w1, lost);
  return p.build();
}

Plan forged(const Profile& profile) {
  PlanBuilder p(profile, "forged_tokens_settle_nothing");
  const JobRef job = p.enqueue({.limit = 5});
  const JobRef other = p.enqueue({.queue = "r"});
  const ClaimRef c = p.claim(p.w1, job, 1h);
  const ClaimRef foreign = p.claim(p.w2, other, 1h);
  for (const SettleKind kind : all_settles) {
    for (const char* text : {"", "0", "null", "' OR '1'='1", "forged-token"}) {
      p.settle(p.w2, kind, {.job = job, .token = forged_token(text)});
    }
    p.settle(p.w2, kind, {.job = job, .token = token_of(foreign)});
    p.settle(p.w1, kind, {.job = other, .token = token_of(c)});
  }
  p.ack(p.w1, c);
  p.ack(p.w2, foreign);
  return p.build();
}

Plan never_claimed(const Profile& profile) {
  PlanBuilder p(profile, "a_job_nobody_holds_cannot_be_settled");
  const JobRef waiting = p.enqueue({.limit = 5});
  const JobRef other = p.enqueue({.queue = "r"});
  const ClaimRef foreign = p.claim(p.w2, other);
  for (const SettleKind kind : all_settles) {
    p.settle(p.w1, kind, {.job = waiting, .token = forged_token("")});
    p.settle(p.w1, kind, {.job = waiting, .token = forged_token("made-up")});
    p.settle(p.w1, kind, {.job = waiting, .token = token_of(foreign)});
  }
  p.extend(p.w1, {.job = waiting, .token = token_of(foreign)}, 1h);
  p.ack(p.w1, p.claim(p.w1, waiting));
  return p.build();
}

Plan wrong_attempt(const Profile& profile) {
  PlanBuilder p(profile, "the_attempt_number_is_part_of_the_fence");
  const JobRef job = p.enqueue({.limit = 5});
  const ClaimRef c = p.claim(p.w1, job, 1h);
  for (const std::int64_t offset : {-1, 1, 1000}) {
    for (const SettleKind kind : all_settles) {
      p.settle(p.w1, kind, {.job = job, .token = token_of(c), .attempt_offset = offset});
    }
    p.extend(p.w1, {.job = job, .token = token_of(c), .attempt_offset = offset}, 2h);
  }
  p.extend(p.w1, c, 2h);
  p.ack(p.w1, c);
  p.ack(p.w1, {.job = job, .token = token_of(c), .attempt_offset = 1});
  return p.build();
}

Plan precedence(const Profile& profile) {
  PlanBuilder p(profile, "the_reason_of_a_lost_lease_has_an_order");
  const JobRef job = p.enqueue({.limit = 9});
  p.ack(p.w1, {.job = job, .token = forged_token("wrong")});
  const ClaimRef c = p.claim(p.w1, job, 10s);
  p.ack(p.w2, {.job = job, .token = forged_token("wrong")});
  p.advance_to_expiry(c);
  p.ack(p.w2, {.job = job, .token = forged_token("wrong")});
  p.record_failure(p.w2, {.job = job, .token = forged_token("wrong")});
  p.dead_letter(p.w2, {.job = job, .token = forged_token("wrong")});
  p.extend(p.w2, {.job = job, .token = forged_token("wrong")}, 1s);
  const ClaimRef held = p.reclaim(p.w2, c, 10s);
  p.ack(p.w2, held);
  p.ack(p.w1, {.job = job, .token = forged_token("wrong")});
  return p.build();
}

}  // namespace

std::vector<Scenario> fencing() {
  return {
      {"a_stale_token_settles_nothing",
       "After a reclaim the old token is refused for each kind of settle, and changes nothing.",
       "",
       {"FENCE-2", "FENCE-4", "FENCE-10", "ERR-2", "LEASE-10"},
       stale_token},
      {"a_stale_token_settles_nothing_while_the_job_waits",
       "An old token is refused while the job waits for a retry and while it runs again.",
       "",
       {"FENCE-2", "FENCE-4", "FENCE-10", "ERR-2"},
       stale_while_waiting},
      {"a_worker_that_reclaims_its_own_job_has_a_new_token",
       "The token of a worker's earlier claim does not settle its later one.",
       "",
       {"FENCE-2", "FENCE-11", "LEASE-10"},
       stale_own},
      {"a_settle_before_at_and_after_expiry",
       "Each kind of settle one tick before its expiry, at it and one after.",
       "",
       {"FENCE-3", "ACK-1"},
       late_settle},
      {"a_settle_long_after_expiry",
       "Each kind of settle an hour late, though nobody reclaimed the job.",
       "",
       {"FENCE-3"},
       long_late_settle},
      {"a_refused_late_settle_leaves_the_job_to_others",
       "A late ack, the same after a reclaim, and once more after the new holder's ack.",
       "late_settle=reject",
       {"FENCE-3", "FENCE-2", "FENCE-4", "FENCE-10"},
       late_then_reclaimed},
      {"forged_tokens_settle_nothing",
       "Empty, made up and foreign tokens are refused for each kind of settle.",
       "",
       {"FENCE-1", "FENCE-4", "ERR-2"},
       forged},
      {"a_job_nobody_holds_cannot_be_settled",
       "A waiting job has no token that settles it.",
       "",
       {"FENCE-4", "STATE-3"},
       never_claimed},
      {"the_attempt_number_is_part_of_the_fence",
       "The right token with a wrong attempt number is refused.",
       "fence=token_attempt",
       {"FENCE-7", "FENCE-4"},
       wrong_attempt},
      {"the_reason_of_a_lost_lease_has_an_order",
       "A settle that is wrong in several ways is told the first: not held, expired, mismatch.",
       "",
       {"ERR-2", "XERR-1"},
       precedence},
  };
}

}  // namespace assay::scenarios
