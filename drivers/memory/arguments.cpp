#include "drivers/memory/arguments.h"

#include <algorithm>

namespace assay::memory_queue {

Objection objection_to(const Enqueue& request) {
  const NewJob& job = request.job;
  if (job.queue.empty()) return invalid("the queue's name is empty");
  if (job.type.empty()) return invalid("the type is empty");
  if (job.id && job.id->empty()) return invalid("the id is empty");
  if (job.key && job.key->empty()) return invalid("the key is empty");
  if (job.timeout && *job.timeout < Duration{0}) return invalid("the timeout is negative");
  const std::int64_t limit = job.max_attempts.value_or(0);
  if (limit < 0) return invalid("the limit is negative");
  const std::int64_t attempts = job.attempts.value_or(0);
  if (attempts < 0) return invalid("the counter is negative");
  if (limit > 0 && attempts > limit) return invalid("the counter is above the limit");
  return std::nullopt;
}

Objection objection_to(const Reserve& request, ClaimStyle style) {
  if (request.queues.empty()) return invalid("no queue is asked for");
  if (std::ranges::any_of(request.queues, &std::string::empty))
    return invalid("a queue's name is empty");
  if (request.max < 1) return invalid("fewer than one job is asked for");
  if (style == ClaimStyle::by_id && !request.job_id) return invalid("claims here name a job");
  if (style == ClaimStyle::next && request.job_id) return invalid("claims here name no job");
  return objection_to_lease(request.lease);
}

Objection objection_to(const Hold& hold) {
  if (hold.job_id.empty()) return invalid("the job's id is empty");
  return std::nullopt;
}

Objection objection_to_lease(Duration lease) {
  if (lease <= Duration{0}) return invalid("the lease is not longer than nothing");
  return std::nullopt;
}

Objection objection_to_attempts(std::int64_t attempts) {
  if (attempts < 0) return invalid("the counter is negative");
  return std::nullopt;
}

Objection objection_to_queue(const std::string& queue) {
  if (queue.empty()) return invalid("the queue's name is empty");
  return std::nullopt;
}

Objection objection_to_limit(std::int64_t limit) {
  if (limit <= 0) return invalid("the page holds fewer than one");
  return std::nullopt;
}

Objection objection_to_lack_of(const Profile& profile, std::string_view capability) {
  if (profile.has(capability)) return std::nullopt;
  return unsupported("not claimed: " + std::string(capability));
}

Objection objection_to_decider(const Profile& profile, Decider needed) {
  if (profile.decider == needed) return std::nullopt;
  return unsupported(needed == Decider::store ? "here the engine decides: retry or fail"
                                              : "here the store decides: nack");
}

}  // namespace assay::memory_queue
