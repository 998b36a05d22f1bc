#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan bad_enqueues(const Profile& profile) {
  PlanBuilder p(profile, "an_invalid_job_is_refused");
  p.enqueue({.queue = ""});
  p.enqueue({.type = ""});
  p.enqueue({.id = ""});
  p.enqueue({.timeout = -1ms});
  p.enqueue({.limit = -1});
  p.enqueue({.attempts = -1});
  p.enqueue({.limit = 2, .attempts = 3});
  if (profile.idem != Idem::none) p.enqueue({.key = ""});
  if (p.has("list_paged")) p.list("q");
  const JobRef good = p.enqueue({.limit = 2, .timeout = 0ms, .attempts = 2});
  p.get(good);
  return p.build();
}

Plan bad_reserves(const Profile& profile) {
  PlanBuilder p(profile, "an_invalid_reserve_is_refused");
  const JobRef job = p.enqueue();
  p.reserve(p.w1, {.job = job, .lease = 0ms});
  p.reserve(p.w1, {.job = job, .lease = -1s});
  p.reserve(p.w1, {.queues = {}, .job = job});
  p.reserve(p.w1, {.queues = {""}, .job = job});
  if (p.has("queue_set_claim")) p.reserve(p.w1, {.queues = {"q", ""}, .job = job});
  p.reserve(p.w1, {.job = job, .max = 0});
  p.reserve(p.w1, {.job = job, .max = -1});
  p.ack(p.w1, p.claim(p.w1, job, 1ms));
  return p.build();
}

Plan bad_extensions(const Profile& profile) {
  PlanBuilder p(profile, "an_invalid_extension_is_refused");
  const JobRef job = p.enqueue();
  const ClaimRef c = p.claim(p.w1, job, 10s);
  p.extend(p.w1, c, 0ms);
  p.extend(p.w1, c, -1s);
  p.extend(p.w1, c, 1ms);
  p.advance_to_expiry(c, -p.tick());
  p.ack(p.w1, c);
  return p.build();
}

Plan bad_settles(const Profile& profile) {
  PlanBuilder p(profile, "an_invalid_settle_is_refused");
  const JobRef job = p.enqueue({.limit = 5});
  const ClaimRef c = p.claim(p.w1, job, 1h);
  for (const SettleKind kind : {SettleKind::ack, SettleKind::failure, SettleKind::dead}) {
    p.settle(p.w1, kind, {.job = literal_job(""), .token = token_of(c)});
  }
  if (profile.decider == Decider::engine) {
    p.record_failure(p.w1, c, {.attempts = -1});
    p.dead_letter(p.w1, c, {.attempts = -1});
  }
  p.get(job);
  p.ack(p.w1, c);
  return p.build();
}

Plan bad_pages(const Profile& profile) {
  PlanBuilder p(profile, "an_invalid_page_is_refused");
  p.enqueue();
  for (const std::int64_t limit : {0, -1}) {
    p.list("q", {}, limit);
    if (p.has("dlq_ops")) p.dead("q", limit);
  }
  p.list("");
  if (p.has("dlq_ops")) p.dead("");
  p.list("q", {}, 1);
  return p.build();
}

Plan unknown_jobs(const Profile& profile) {
  PlanBuilder p(profile, "a_job_nobody_knows_is_not_found");
  const JobRef other = p.enqueue();
  const ClaimRef c = p.claim(p.w1, other);
  const JobRef unknown = literal_job("nobody-knows-this-one");
  for (const SettleKind kind : {SettleKind::ack, SettleKind::failure, SettleKind::dead}) {
    p.settle(p.w1, kind, {.job = unknown, .token = forged_token("made-up")});
    p.settle(p.w1, kind, {.job = unknown, .token = token_of(c)});
  }
  p.extend(p.w1, {.job = unknown, .token = token_of(c)}, 10s);
  if (p.has("inspect")) p.get(unknown);
  if (p.has("cancel")) p.cancel(unknown);
  if (p.has("dlq_ops") && profile.replay != Replay::none) p.requeue(unknown);
  p.ack(p.w1, c);
  return p.build();
}

Plan claim_unknown(const Profile& profile) {
  PlanBuilder p(profile, "a_claim_of_an_unknown_job_finds_nothing");
  p.reserve(p.w1, {.job = literal_job("nobody-knows-this-one")});
  p.enqueue({.queue = "elsewhere"});
  const JobRef job = p.enqueue();
  p.reserve(p.w1, {.queues = {"elsewhere"}, .job = job});
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

Plan closed(const Profile& profile) {
  PlanBuilder p(profile, "a_closed_session_is_closed");
  const JobRef job = p.enqueue();
  const ClaimRef c = p.claim(p.w1, job, 10s);
  p.close(p.w1);
  p.close(p.w1);
  p.ack(p.w1, c);
  p.extend(p.w1, c, 10s);
  p.record_failure(p.w1, c);
  p.dead_letter(p.w1, c);
  p.enqueue(p.w1, {.queue = "r"});
  p.claim(p.w1, job);
  p.close(p.w1);
  p.ack(p.w2, c);
  p.close(p.producer);
  p.enqueue(p.producer);
  return p.build();
}

Plan admin_closed(const Profile& profile) {
  PlanBuilder p(profile, "a_closed_admin_session_is_closed");
  const JobRef job = p.enqueue();
  p.close(p.admin);
  p.get(job);
  if (p.has("list_paged")) p.list("q");
  if (p.has("pause")) {
    p.pause();
    p.resume();
  }
  if (p.has("cancel")) p.cancel(job);
  if (p.has("dlq_ops")) p.dead("q");
  if (p.has("dlq_ops") && profile.replay != Replay::none) p.requeue(job);
  p.close(p.admin);
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

}  // namespace

std::vector<Scenario> refusals() {
  return {
      {"an_invalid_job_is_refused",
       "Empty names and negative numbers make no job.",
       "",
       {"XVAL-1", "ENQ-1"},
       bad_enqueues},
      {"an_invalid_reserve_is_refused",
       "No queue, an empty name, a lease or a batch of nothing claim no job.",
       "",
       {"XVAL-2", "XVAL-3"},
       bad_reserves},
      {"an_invalid_extension_is_refused",
       "A lease of zero or less extends nothing.",
       "",
       {"XVAL-2"},
       bad_extensions},
      {"an_invalid_settle_is_refused",
       "An empty id or a negative counter settles nothing.",
       "",
       {"ACK-1"},
       bad_settles},
      {"an_invalid_page_is_refused",
       "A page of nothing, and of no queue.",
       "list_paged",
       {"ADMIN-2"},
       bad_pages},
      {"a_job_nobody_knows_is_not_found",
       "Every call on an id that was never accepted is told so.",
       "",
       {"ERR-1"},
       unknown_jobs},
      {"a_claim_of_an_unknown_job_finds_nothing",
       "A claim by id of an unknown job, or in a queue it is not in, makes nothing.",
       "claim_style=by_id",
       {"CLAIM-6"},
       claim_unknown},
      {"a_closed_session_is_closed",
       "Closing twice is harmless; every other call is refused, and other sessions go on.",
       "",
       {"XCLOSE-1"},
       closed},
      {"a_closed_admin_session_is_closed",
       "Inspection and administration end with their session.",
       "inspect",
       {"XCLOSE-1"},
       admin_closed},
  };
}

}  // namespace assay::scenarios
