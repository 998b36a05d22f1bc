#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan heartbeats(const Profile& profile) {
  PlanBuilder p(profile, "heartbeats_keep_a_long_job");
  const JobRef job = p.enqueue();
  const ClaimRef c = p.claim(p.w1, job, 9s);
  for (int beat = 0; beat < 8; ++beat) {
    p.advance(3s);
    p.extend(p.w1, c, 9s);
    p.claim(p.w2, job);
  }
  p.advance_to_expiry(c, -p.tick());
  p.claim(p.w2, job);
  p.ack(p.w1, c);
  return p.build();
}

Plan heartbeats_stop(const Profile& profile) {
  PlanBuilder p(profile, "when_heartbeats_stop_the_job_is_reclaimed");
  const JobRef job = p.enqueue();
  const ClaimRef c = p.claim(p.w1, job, 6s);
  for (int beat = 0; beat < 3; ++beat) {
    p.advance(2s);
    p.extend(p.w1, c, 6s);
  }
  p.ack(p.w2, p.reclaim(p.w2, c, 6s));
  p.extend(p.w1, c, 6s);
  return p.build();
}

Plan extend_at_the_edge(const Profile& profile) {
  PlanBuilder p(profile, "an_extension_before_at_and_after_expiry");
  for (const Duration offset : {-p.tick(), 0ms, p.tick()}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue()});
    const ClaimRef c = p.claim(p.w1, job, 10s);
    p.advance_to_expiry(c, offset);
    p.extend(p.w1, c, 10s);
    p.claim(p.w2, job, 1s);
    p.ack(p.w1, c);
    p.advance(24h);
    p.claim(p.w2, job, 24h);
  }
  return p.build();
}

Plan shorter_extension(const Profile& profile) {
  PlanBuilder p(profile, "an_extension_never_shortens");
  const JobRef job = p.enqueue();
  const ClaimRef c = p.claim(p.w1, job, 1min);
  p.extend(p.w1, c, 1s);
  p.advance(2s);
  p.claim(p.w2, job);
  p.extend(p.w1, c, 58s);
  p.advance(57s);
  p.claim(p.w2, job);
  p.extend(p.w1, c, 1s);
  p.extend(p.w1, c, 1h);
  p.advance(10s);
  p.claim(p.w2, job);
  p.ack(p.w1, c);
  return p.build();
}

Plan extend_wrong_token(const Profile& profile) {
  PlanBuilder p(profile, "an_extension_is_fenced");
  const JobRef job = p.enqueue();
  const JobRef other = p.enqueue({.queue = "r"});
  const ClaimRef c = p.claim(p.w1, job, 30s);
  const ClaimRef foreign = p.claim(p.w2, other, 30s);
  p.extend(p.w2, {.job = job, .token = forged_token("not-a-token")}, 1h);
  p.extend(p.w2, {.job = job, .token = token_of(foreign)}, 1h);
  p.extend(p.w2, {.job = other, .token = token_of(c)}, 1h);
  p.extend(p.w1, c, 40s);
  p.ack(p.w1, c);
  p.ack(p.w2, foreign);
  return p.build();
}

Plan extend_after_reclaim(const Profile& profile) {
  PlanBuilder p(profile, "a_stale_extension_does_not_touch_the_new_lease");
  const JobRef job = p.enqueue();
  const ClaimRef lost = p.claim(p.w1, job, 5s);
  const ClaimRef held = p.reclaim(p.w2, lost, 5s);
  p.extend(p.w1, lost, 1h);
  p.extend(p.w2, held, 7s);
  p.ack(p.w2, held);
  return p.build();
}

Plan extend_after_settle(const Profile& profile) {
  PlanBuilder p(profile, "an_extension_does_not_revive_a_settled_job");
  for (const SettleKind kind : {SettleKind::ack, SettleKind::failure, SettleKind::dead}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 5});
    const ClaimRef c = p.claim(p.w1, job);
    p.settle(p.w1, kind, c);
    p.extend(p.w1, c, 1h);
    p.claim(p.w2, job, 1s);
    p.advance(24h);
  }
  // Once more with nobody looking in between: a lease that is shown too long is another's fault.
  const JobRef job = p.enqueue({.queue = p.fresh_queue()});
  const ClaimRef c = p.claim(p.w1, job);
  p.step({.kind = StepKind::ack, .client = p.w1, .job = job, .token = token_of(c)});
  p.extend(p.w1, c, 1h);
  return p.build();
}

}  // namespace

std::vector<Scenario> extending() {
  return {
      {"heartbeats_keep_a_long_job",
       "A job with timely heartbeats runs far past its first lease.",
       "",
       {"HB-2", "HB-4", "LEASE-5", "LEASE-2"},
       heartbeats},
      {"when_heartbeats_stop_the_job_is_reclaimed",
       "The last heartbeat grants one lease, no more.",
       "",
       {"HB-5", "LEASE-4", "LEASE-5"},
       heartbeats_stop},
      {"an_extension_before_at_and_after_expiry",
       "A lease can be extended until its expiry instant, not at it.",
       "",
       {"LEASE-5"},
       extend_at_the_edge},
      {"an_extension_never_shortens",
       "An extension shorter than what is left leaves the expiry where it is.",
       "",
       {"LEASE-5", "HB-2"},
       shorter_extension},
      {"an_extension_is_fenced",
       "A forged token and a token of another job extend nothing.",
       "",
       {"LEASE-6", "FENCE-4", "ERR-2"},
       extend_wrong_token},
      {"a_stale_extension_does_not_touch_the_new_lease",
       "After a reclaim the old token extends nothing.",
       "",
       {"LEASE-6", "LEASE-10", "FENCE-8"},
       extend_after_reclaim},
      {"an_extension_does_not_revive_a_settled_job",
       "After ack, failure or dead letter a heartbeat is refused.",
       "",
       {"LEASE-6", "FENCE-4", "STATE-4"},
       extend_after_settle},
  };
}

}  // namespace assay::scenarios
