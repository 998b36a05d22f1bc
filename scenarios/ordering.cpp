#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan ten_in_order(const Profile& profile) {
  PlanBuilder p(profile, "ten_jobs_come_in_their_order");
  for (int i = 0; i < 10; ++i) {
    p.enqueue({.payload = text_payload(std::to_string(i))});
    if (i % 3 == 0) p.advance(1ms);
  }
  for (int i = 0; i < 10; ++i) p.ack(p.w1, p.reserve(p.w1, {}));
  p.reserve(p.w1, {});
  return p.build();
}

Plan held_in_order(const Profile& profile) {
  PlanBuilder p(profile, "jobs_claimed_and_held_come_in_their_order");
  for (int i = 0; i < 6; ++i) p.enqueue({.queue = i % 2 == 0 ? "a" : "b"});
  for (int i = 0; i < 3; ++i) p.reserve(p.w1, {.queues = {"a"}, .lease = 1h});
  p.reserve(p.w1, {.queues = {"b"}, .lease = 1h, .max = 3});
  return p.build();
}

Plan priorities(const Profile& profile) {
  PlanBuilder p(profile, "priorities_go_first_and_keep_their_order");
  for (const std::int64_t priority : {0, 5, -5, 5, 0, 10, -5, 1'000'000}) {
    p.enqueue({.priority = priority});
  }
  p.enqueue();
  for (int i = 0; i < 9; ++i) p.ack(p.w1, p.reserve(p.w1, {}));
  return p.build();
}

Plan with_retries(const Profile& profile) {
  PlanBuilder p(profile, "retries_and_lost_leases_among_fresh_jobs");
  for (int i = 0; i < 6; ++i) p.enqueue({.limit = 9});
  p.record_failure(p.w1, p.reserve(p.w1, {}), {.delay = 1s});
  p.reserve(p.w1, {.lease = 1s});
  p.ack(p.w1, p.reserve(p.w1, {}));
  p.advance(profile.backoff.cap);
  for (int i = 0; i < 6; ++i) p.ack(p.w2, p.reserve(p.w2, {}));
  return p.build();
}

Plan no_starvation(const Profile& profile) {
  PlanBuilder p(profile, "fresh_jobs_do_not_starve_old_ones");
  const JobRef later = p.enqueue({.when = from_now(1s)});
  const JobRef lost = p.enqueue();
  p.claim(p.w1, lost, 2s);
  p.advance(3s);
  for (int i = 0; i < 4; ++i) {
    p.enqueue();
    p.ack(p.w2, p.reserve(p.w2, {}));
    p.advance(1s);
  }
  p.get(later);
  p.get(lost);
  for (int i = 0; i < 3; ++i) p.ack(p.w2, p.reserve(p.w2, {}));
  return p.build();
}

}  // namespace

std::vector<Scenario> ordering() {
  return {
      {"ten_jobs_come_in_their_order",
       "One worker gets ten equal jobs in the order of their enqueues.",
       "claim_style=next",
       {"ORDER-2", "CLAIM-7"},
       ten_in_order},
      {"jobs_claimed_and_held_come_in_their_order",
       "Two queues, claimed one by one and by the batch, keep their own order.",
       "claim_style=next",
       {"ORDER-2", "CLAIM-6"},
       held_in_order},
      {"priorities_go_first_and_keep_their_order",
       "Higher numbers first; among equals the order of enqueues.",
       "priority & claim_style=next",
       {"ORDER-2"},
       priorities},
      {"retries_and_lost_leases_among_fresh_jobs",
       "Jobs that came back are served among those that never ran.",
       "claim_style=next",
       {"CLAIM-7", "SCHED-6", "LEASE-4"},
       with_retries},
      {"fresh_jobs_do_not_starve_old_ones",
       "A due scheduled job and a reclaimed one are found although fresh jobs keep coming.",
       "claim_style=next & schedule_at_enqueue",
       {"CLAIM-7", "SCHED-2", "LEASE-4"},
       no_starvation},
  };
}

}  // namespace assay::scenarios
