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

}  // namespace assay::stored
