#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan repeated(const Profile& profile) {
  PlanBuilder p(profile, "a_repeated_settle_changes_nothing");
  for (const SettleKind kind : all_settles) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 5});
    const ClaimRef c = p.claim(p.w1, job);
    p.settle(p.w1, kind, c);
    p.settle(p.w1, kind, c);
    p.advance(1s);
    p.settle(p.w1, kind, c);
    p.settle(p.w2, kind, c);
    p.advance(1h);
    p.settle(p.w1, kind, c);
    p.advance(24h);
    p.claim(p.w2, job, 1s);
    p.advance(24h);
  }
  return p.build();
}

Plan other_kind(const Profile& profile) {
  PlanBuilder p(profile, "a_settle_of_another_kind_comes_too_late");
  for (const SettleKind first : all_settles) {
    for (const SettleKind second : all_settles) {
      if (first == second) continue;
      const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 5});
      const ClaimRef c = p.claim(p.w1, job);
      p.settle(p.w1, first, c);
      p.settle(p.w1, second, c);
      p.settle(p.w1, first, c);
      p.advance(24h);
      p.ack(p.w2, p.claim(p.w2, job));
    }
  }
  return p.build();
}

Plan foreign_after_done(const Profile& profile) {
  PlanBuilder p(profile, "an_ack_of_another_holder_after_done");
  const JobRef job = p.enqueue({.limit = 5});
  const ClaimRef stale = p.claim(p.w1, job, 5s);
  const ClaimRef held = p.reclaim(p.w2, stale, 5s);
  p.ack(p.w2, held);
  p.ack(p.w1, stale);
  p.ack(p.w1, {.job = job, .token = forged_token("never-handed-out")});
  p.record_failure(p.w1, stale);
  p.dead_letter(p.w1, stale);
  p.advance(24h);
  p.claim(p.w1, job);
  return p.build();
}

Plan repeat_after_next_claim(const Profile& profile) {
  PlanBuilder p(profile, "a_repeated_failure_after_the_next_claim_is_stale");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef first = p.claim(p.w1, job);
  p.record_failure(p.w1, first);
  p.advance_to_due(job);
  const ClaimRef second = p.claim(p.w2, job);
  p.record_failure(p.w1, first);
  p.record_failure(p.w2, second);
  p.record_failure(p.w1, first);
  p.record_failure(p.w2, second);
  p.advance_to_due(job);
  p.ack(p.w2, p.claim(p.w2, job));
  p.record_failure(p.w2, second);
  return p.build();
}

Plan lost_reply(const Profile& profile) {
  PlanBuilder p(profile, "a_call_repeated_after_a_lost_reply_is_safe");
  const JobRef job = p.enqueue({.id = "sent-twice"});
  if (profile.dup_id == DupId::reject) p.enqueue({.id = "sent-twice"});
  const ClaimRef c = p.claim(p.w1, job, 10s);
  p.extend(p.w1, c, 10s);
  p.extend(p.w1, c, 10s);
  p.ack(p.w1, c);
  p.ack(p.w1, c);
  p.advance(1min);
  p.claim(p.w2, job);
  return p.build();
}

}  // namespace

std::vector<Scenario> repeated_settles() {
  return {
      {"a_repeated_settle_changes_nothing",
       "The same settle with the same token, again and again.",
       "",
       {"ACK-2", "RETRY-11", "STATE-4", "ACK-3"},
       repeated},
      {"a_settle_of_another_kind_comes_too_late",
       "After one settle the others are refused with the same token.",
       "",
       {"FENCE-4", "STATE-4", "ERR-2", "RETRY-9"},
       other_kind},
      {"an_ack_of_another_holder_after_done",
       "Once a job is done, an older token and a made-up one change nothing.",
       "",
       {"STATE-4", "RETRY-9", "ACK-3"},
       foreign_after_done},
      {"a_repeated_failure_after_the_next_claim_is_stale",
       "A failure is counted once, however often an old worker reports it.",
       "",
       {"FENCE-2", "FENCE-10", "RETRY-11", "RETRY-2", "RETRY-1"},
       repeat_after_next_claim},
      {"a_call_repeated_after_a_lost_reply_is_safe",
       "A caller that got no reply asks again: enqueue, extend, ack.",
       "",
       {"AVAIL-2", "ACK-2"},
       lost_reply},
  };
}

}  // namespace assay::scenarios
