#include "drivers/stored/validate.h"

#include <algorithm>
#include <set>

#include "drivers/stored/cursor.h"

namespace assay::stored {

static Refusal needs(const Profile& profile, std::string_view capability) {
  if (profile.has(capability)) return std::nullopt;
  return unsupported("the profile '" + profile.name + "' has no " + std::string(capability));
}

static Refusal needs(const Profile& profile, Decider decider, const char* call) {
  if (profile.decider == decider) return std::nullopt;
  return unsupported(std::string("there is no ") + call + ": in the profile '" + profile.name +
                     "' " + (decider == Decider::engine ? "the store" : "the engine") +
                     " decides on retries");
}

static Refusal bad_queue(const std::string& queue) {
  if (queue.empty()) return invalid("the queue's name is empty");
  return std::nullopt;
}

static Refusal bad_hold(const Hold& hold) {
  if (hold.job_id.empty()) return invalid("the job id is empty");
  return std::nullopt;
}

Refusal refusal(const Profile&, const Enqueue& request) {
  const NewJob& job = request.job;
  if (job.queue.empty()) return invalid("the queue's name is empty");
  if (job.type.empty()) return invalid("the type is empty");
  if (job.id && job.id->empty()) return invalid("the job id is empty");
  if (job.key && job.key->empty()) return invalid("the key is empty");
  if (job.timeout && job.timeout->count() < 0) return invalid("the timeout is negative");
  if (job.max_attempts.value_or(0) < 0) return invalid("max_attempts is negative");
  if (job.attempts.value_or(0) < 0) return invalid("attempts is negative");
  if (job.max_attempts.value_or(0) > 0 && job.attempts.value_or(0) > *job.max_attempts)
    return invalid("attempts is above max_attempts");
  return std::nullopt;
}

Refusal refusal(const Profile& profile, const Reserve& request) {
  if (request.queues.empty()) return invalid("no queue is named");
  if (std::ranges::any_of(request.queues, &std::string::empty))
    return invalid("a queue's name is empty");
  if (request.lease.count() <= 0) return invalid("the lease must be longer than zero");
  if (request.max < 1) return invalid("max must be at least 1");
  const bool by_id = profile.claim_style == ClaimStyle::by_id;
  if (by_id && !request.job_id) return invalid("this profile claims by id, and no id is given");
  if (!by_id && request.job_id) return invalid("this profile claims the next job, never by id");
  if (request.job_id && request.job_id->empty()) return invalid("the job id is empty");
  const std::set<std::string> distinct(request.queues.begin(), request.queues.end());
  if (distinct.size() > 1) return needs(profile, "queue_set_claim");
  return std::nullopt;
}

Refusal refusal(const Profile&, const Extend& request) {
  if (request.lease.count() <= 0) return invalid("the lease must be longer than zero");
  return bad_hold(request.hold);
}

Refusal refusal(const Profile&, const Ack& request) { return bad_hold(request.hold); }

Refusal refusal(const Profile& profile, const Retry& request) {
  if (Refusal missing = needs(profile, Decider::engine, "retry")) return missing;
  if (request.attempts < 0) return invalid("attempts is negative");
  return bad_hold(request.hold);
}

Refusal refusal(const Profile& profile, const Fail& request) {
  if (Refusal missing = needs(profile, Decider::engine, "fail")) return missing;
  if (request.attempts < 0) return invalid("attempts is negative");
  return bad_hold(request.hold);
}

Refusal refusal(const Profile& profile, const Nack& request) {
  if (Refusal missing = needs(profile, Decider::store, "nack")) return missing;
  return bad_hold(request.hold);
}

Refusal refusal(const Profile& profile, const Cancel&) { return needs(profile, "cancel"); }

Refusal refusal(const Profile& profile, const Pause& request) {
  if (Refusal missing = needs(profile, "pause")) return missing;
  return bad_queue(request.queue);
}

Refusal refusal(const Profile& profile, const Resume& request) {
  if (Refusal missing = needs(profile, "pause")) return missing;
  return bad_queue(request.queue);
}

Refusal refusal(const Profile& profile, const Get&) { return needs(profile, "inspect"); }

template <class Page>
static Refusal bad_page(const Page& request, std::string_view kind) {
  if (Refusal bad = bad_queue(request.queue)) return bad;
  if (request.limit <= 0) return invalid("the limit must be at least 1");
  if (request.cursor && !parse_cursor(kind, *request.cursor))
    return invalid("the cursor is not one of ours");
  return std::nullopt;
}

Refusal refusal(const Profile& profile, const List& request) {
  if (Refusal missing = needs(profile, "list_paged")) return missing;
  return bad_page(request, "list");
}

Refusal refusal(const Profile& profile, const Dead& request) {
  if (Refusal missing = needs(profile, "dlq_ops")) return missing;
  return bad_page(request, "dead");
}

Refusal refusal(const Profile& profile, const Requeue&) {
  if (Refusal missing = needs(profile, "dlq_ops")) return missing;
  if (profile.replay == Replay::none)
    return unsupported("in the profile '" + profile.name + "' the dead stay dead");
  return std::nullopt;
}

static Refusal refusal(const Profile&, const std::monostate&) { return std::nullopt; }
static Refusal refusal(const Profile&, const Hold& hold) { return bad_hold(hold); }

Refusal refusal(const Profile& profile, const Commit& request) {
  if (Refusal bad = objection_to(request)) return bad;
  const auto bad_settle = [&](const auto& settle) { return refusal(profile, settle); };
  if (Refusal bad = std::visit(bad_settle, request.settle)) return bad;
  for (const Count& count : request.counts)
    for (const Enqueue& enqueue : count.then)
      if (Refusal bad = refusal(profile, enqueue)) return bad;
  for (const Enqueue& enqueue : request.enqueues)
    if (Refusal bad = refusal(profile, enqueue)) return bad;
  return std::nullopt;
}

Refusal refusal(const Profile&, const Scan& request) { return objection_to(request); }
Refusal refusal(const Profile&, const RecordKey& request) { return objection_to_key(request.key); }

Refusal version_conflict(const std::string& key, std::int64_t version,
                         const std::optional<std::int64_t>& wanted) {
  if (!wanted || *wanted == version) return std::nullopt;
  if (version == 0) return conflict("there is no record '" + key + "'");
  if (*wanted == 0) return conflict("there is a record '" + key + "' already");
  return conflict("the record '" + key + "' is at version " + std::to_string(version) + ", not " +
                  std::to_string(*wanted));
}

Error countdown_conflict(const std::string& key) {
  return conflict("'" + key + "' is a countdown, which is not written but counted down");
}

Error no_countdown_conflict(const std::string& key) {
  return conflict("the record '" + key + "' is no countdown");
}

}  // namespace assay::stored
