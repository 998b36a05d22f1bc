// Clients that move at once: each scenario brings them together where only one may win, and takes
// an account of everything when all is still again.
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr int rounds = 4;

std::vector<int> workers(PlanBuilder& p) {
  return {p.w1, p.w2, p.client("w3", Role::worker), p.client("w4", Role::worker)};
}

std::vector<ClaimRef> claim_at_once(PlanBuilder& p, const std::vector<int>& clients,
                                    const JobRef& job, Duration lease) {
  std::vector<ClaimRef> claims;
  p.at_once([&] {
    for (const int client : clients) claims.push_back(p.claim(client, job, lease));
  });
  return claims;
}

// Whoever got it; the others' acks are passed over.
void ack_all(PlanBuilder& p, const std::vector<int>& clients, const std::vector<ClaimRef>& claims) {
  for (std::size_t i = 0; i < clients.size(); ++i) p.ack(clients[i], claims[i]);
}

Plan one_job(const Profile& profile) {
  PlanBuilder p(profile, "one_job_has_one_claimer");
  const auto clients = workers(p);
  for (int round = 0; round < rounds; ++round) {
    const JobRef job = p.enqueue();
    const auto claims = claim_at_once(p, clients, job, 10s);
    p.get(job);
    ack_all(p, clients, claims);
  }
  return p.build();
}

Plan expired_job(const Profile& profile) {
  PlanBuilder p(profile, "an_expired_job_has_one_heir");
  const auto clients = workers(p);
  for (int round = 0; round < rounds; ++round) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const ClaimRef lost = p.claim(p.w1, job, 1s);
    p.advance_to_expiry(lost, p.profile().reclaim_lag_max);
    auto claims = claim_at_once(p, clients, job, 10s);
    ack_all(p, clients, claims);
    p.advance(p.profile().backoff.cap + 1s);
    claims = claim_at_once(p, clients, job, 10s);
    ack_all(p, clients, claims);
    p.ack(p.w1, lost);
  }
  return p.build();
}

Plan one_key(const Profile& profile) {
  PlanBuilder p(profile, "one_key_makes_one_job");
  const auto clients = workers(p);
  for (int round = 0; round < rounds; ++round) {
    const std::string key = "key" + std::to_string(round);
    std::vector<JobRef> jobs;
    p.at_once([&] {
      for (const int client : clients) jobs.push_back(p.enqueue(client, {.key = key}));
    });
    for (const JobRef& job : jobs) p.ack(p.w1, p.claim(p.w1, job, 10s));
  }
  p.list("q");
  return p.build();
}

Plan two_settles(const Profile& profile) {
  PlanBuilder p(profile, "two_settles_of_one_claim_meet");
  for (const SettleKind other : all_settles) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const ClaimRef held = p.claim(p.w1, job, 10s);
    p.at_once([&] {
      p.settle(p.w1, SettleKind::ack, held);
      p.settle(p.w2, other, held);
    });
    p.get(job);
    p.advance(p.profile().backoff.cap + 11s);
    p.ack(p.w2, p.claim(p.w2, job, 10s));
  }
  return p.build();
}

Plan heir(const Profile& profile) {
  PlanBuilder p(profile, "a_late_settle_meets_the_heir");
  for (const SettleKind kind : all_settles) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const ClaimRef late = p.claim(p.w1, job, 1s);
    p.advance_to_expiry(late, p.profile().reclaim_lag_max);
    ClaimRef heir;
    p.at_once([&] {
      p.settle(p.w1, kind, late);
      heir = p.claim(p.w2, job, 10s);
    });
    p.get(job);
    p.ack(p.w2, heir);
  }
  // The settle may have come first each time: once nobody meets the heir.
  const JobRef left = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  p.advance_to_expiry(p.claim(p.w1, left, 1s), p.profile().reclaim_lag_max);
  p.get(left);
  p.ack(p.w2, p.claim(p.w2, left, 10s));
  p.advance(p.profile().backoff.cap + 11s);
  p.ack(p.w2, p.claim(p.w2, left, 10s));
  return p.build();
}

Plan heartbeat(const Profile& profile) {
  PlanBuilder p(profile, "a_heartbeat_meets_a_settle");
  for (int round = 0; round < rounds; ++round) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue()});
    const ClaimRef held = p.claim(p.w1, job, 1s);
    p.at_once([&] {
      p.extend(p.w1, held, 5s);
      p.ack(p.w2, held);
      p.claim(p.admin, job, 5s);
    });
    p.get(job);
  }
  return p.build();
}

Plan cancel(const Profile& profile) {
  PlanBuilder p(profile, "a_cancel_meets_a_claim_and_an_ack");
  for (int round = 0; round < rounds; ++round) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue()});
    ClaimRef held;
    p.at_once([&] {
      held = p.claim(p.w1, job, 10s);
      p.cancel(job);
      p.claim(p.w2, job, 10s);
    });
    p.get(job);
    p.ack(p.w1, held);
    const JobRef other = p.enqueue({.queue = p.fresh_queue()});
    held = p.claim(p.w1, other, 10s);
    p.at_once([&] {
      p.ack(p.w1, held);
      p.cancel(other);
    });
    p.get(other);
  }
  return p.build();
}

Plan pause(const Profile& profile) {
  PlanBuilder p(profile, "a_pause_meets_claims");
  const auto clients = workers(p);
  for (int round = 0; round < rounds; ++round) {
    const std::string queue = p.fresh_queue();
    const JobRef job = p.enqueue({.queue = queue});
    p.enqueue({.queue = queue});
    p.at_once([&] {
      for (const int client : clients) p.claim(client, job, 10s);
      p.pause(queue);
    });
    p.claim(p.w1, job, 10s);
    p.at_once([&] {
      for (const int client : clients) p.claim(client, job, 10s);
      p.resume(queue);
    });
    p.claim(p.w1, job, 10s);
  }
  return p.build();
}

// A claim that overlaps a pause may come before it, but not if the job came behind it.
Plan behind_a_pause(const Profile& profile) {
  PlanBuilder p(profile, "a_job_behind_a_pause_meets_claims");
  const auto clients = workers(p);
  for (int round = 0; round < rounds; ++round) {
    const std::string queue = p.fresh_queue();
    const JobRef first = p.enqueue({.queue = queue});
    p.ack(p.w1, p.claim(p.w1, first, 10s));
    JobRef job;
    std::vector<ClaimRef> early;
    p.at_once([&] {
      p.pause(queue);
      job = p.enqueue(p.admin, {.queue = queue});
      for (const int client : clients) early.push_back(p.claim(client, job, 10s));
    });
    p.get(job);
    ack_all(p, clients, early);
    p.resume(queue);
    p.ack(p.w2, p.claim(p.w2, job, 10s));
  }
  return p.build();
}

Plan retry(const Profile& profile) {
  PlanBuilder p(profile, "a_retry_meets_the_next_claim");
  for (int round = 0; round < rounds; ++round) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    ClaimRef next;
    p.at_once([&] {
      p.record_failure(p.w1, p.claim(p.w1, job, 10s), {.delay = 0s});
      next = p.claim(p.w2, job, 10s);
    });
    p.get(job);
    p.ack(p.w2, next);
    p.advance(p.profile().backoff.cap + 11s);
    p.ack(p.w1, p.claim(p.w1, job, 10s));
  }
  return p.build();
}

// The lease ends while its holder asks for more.
Plan late_heartbeat(const Profile& profile) {
  PlanBuilder p(profile, "a_heartbeat_meets_the_heir");
  for (int round = 0; round < rounds; ++round) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
    const ClaimRef held = p.claim(p.w1, job, 1s);
    ClaimRef heir;
    p.at_once([&] {
      p.extend(p.w1, held, 5s);
      p.advance_to_expiry(held, p.profile().reclaim_lag_max);
      heir = p.claim(p.w2, job, 10s);
    });
    p.get(job);
    p.ack(p.w2, heir);
    p.ack(p.w1, held);
  }
  return p.build();
}

Plan replay(const Profile& profile) {
  PlanBuilder p(profile, "two_replays_of_one_dead_job_meet");
  for (int round = 0; round < rounds; ++round) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue()});
    p.dead_letter(p.w1, p.claim(p.w1, job, 10s));
    const int second = p.client("admin" + std::to_string(round), Role::admin);
    p.at_once([&] {
      p.requeue(job);
      p.step({.kind = StepKind::requeue,
              .client = second,
              .slot = 1000 + round,
              .free = true,
              .job = job});
    });
    p.get(job);
    for (int i = 0; i < 3; ++i) p.ack(p.w1, p.claim(p.w1, job, 10s));
  }
  return p.build();
}

// Every job that was accepted is served once, whoever came first.
Plan account(const Profile& profile) {
  PlanBuilder p(profile, "every_job_is_accounted_for");
  const auto clients = workers(p);
  std::vector<JobRef> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(p.enqueue({.queue = p.fresh_queue()}));
  p.at_once([&] {
    for (int i = 0; i < 12; ++i) {
      const int producer = i % 2 == 0 ? p.producer : p.admin;
      jobs.push_back(p.enqueue(producer, {.queue = "q"}));
    }
    for (const int client : clients)
      for (const JobRef& job : jobs) p.ack(client, p.claim(client, job, 10s));
  });
  p.advance(11s);
  for (const JobRef& job : jobs) p.ack(p.w1, p.claim(p.w1, job, 10s));
  for (const JobRef& job : jobs) {
    if (p.has("inspect")) p.get(job);
  }
  p.claim(p.w1, jobs.back(), 10s);
  return p.build();
}

}  // namespace

std::vector<Scenario> racing() {
  std::vector<Scenario> all = {
      {"one_job_has_one_claimer",
       "Four clients ask for one job at once: one gets it.",
       "",
       {"CLAIM-1"},
       one_job},
      {"an_expired_job_has_one_heir",
       "Four clients ask at once for a job whose lease is over.",
       "",
       {"XLEASE-3"},
       expired_job},
      {"one_key_makes_one_job",
       "Four clients enqueue with one key at once: one job is made.",
       "idem!=none",
       {"IDEMP-10"},
       one_key},
      {"two_settles_of_one_claim_meet",
       "Two clients settle with the same token at once: one settle counts.",
       "",
       {"CLAIM-2"},
       two_settles},
      {"a_late_settle_meets_the_heir",
       "The old holder settles while the next one claims: one of them has it.",
       "",
       {"DELIV-5"},
       heir},
      {"a_heartbeat_meets_a_settle",
       "An extension, an ack and a claim of one job at once.",
       "",
       {"CLAIM-2"},
       heartbeat},
      {"a_cancel_meets_a_claim_and_an_ack",
       "A job is cancelled while it is claimed, and acked.",
       "cancel",
       {"CANCEL-1"},
       cancel},
      {"a_pause_meets_claims",
       "A queue is paused and resumed while clients claim from it.",
       "pause",
       {"DUR-2"},
       pause},
      {"a_job_behind_a_pause_meets_claims",
       "A queue is paused and gets a job while claims on it are under way.",
       "pause",
       {"PAUSE-2"},
       behind_a_pause},
      {"a_retry_meets_the_next_claim",
       "A job is put back while somebody else claims it.",
       "",
       {"CLAIM-2"},
       retry},
      {"a_heartbeat_meets_the_heir",
       "A lease ends while it is extended, and somebody else claims its job.",
       "",
       {"CLAIM-2"},
       late_heartbeat},
      {"two_replays_of_one_dead_job_meet",
       "A dead job is requeued twice at once.",
       "dlq_ops & replay!=none",
       {"DLQ-5"},
       replay},
      {"every_job_is_accounted_for",
       "Two clients enqueue while four claim and ack; then everything is accounted for.",
       "",
       {"CLAIM-7", "DUR-2"},
       account},
  };
  for (Scenario& scenario : all) scenario.level = Level::concurrency;
  return all;
}

}  // namespace assay::scenarios
