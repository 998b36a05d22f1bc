// Claims: which jobs may be handed out, in which order, and under which lease.
#include <algorithm>

#include "drivers/memory/store.h"

namespace assay::memory_queue {

std::vector<Queue*> Store::open_queues(const Reserve& request) {
  std::vector<Queue*> open;
  for (const std::string& name : decisions_.queues_of(request)) {
    Queue* queue = find_queue(name);
    if (!queue || decisions_.holds_back(queue->paused)) continue;
    if (std::ranges::find(open, queue) == open.end()) open.push_back(queue);
  }
  return open;
}

void Store::expire(Record& record, Instant now) {
  const Outcome after = decisions_.on_expiry(record, now, jitter_);
  at(Seam::reclaim, &record);
  if (after.stage == Stage::leased && record.lease) {
    record.queue->withdraw(record);
    record.queue->stand_in_line(record, decisions_.order_of(record), record.lease->expires_at);
    return;
  }
  record.awaits_retry =
      after.stage == Stage::waiting && decisions_.profile().expiry_to == ExpiryTo::backoff;
  change(record, after);
}

void Store::sweep(Queue& queue, Instant now) {
  for (Record* record = queue.next_to_expire(); record && decisions_.may_reclaim(*record, now);
       record = queue.next_to_expire())
    expire(*record, now);
}

bool Store::is_eligible(const Record& record, Instant now) const {
  if (decisions_.stands_in_line(record.stage)) return decisions_.claimable_from(record) <= now;
  return record.stage == Stage::leased && decisions_.may_reclaim(record, now);
}

Record* Store::next_in(const std::vector<Queue*>& queues, Instant now) {
  Record* best = nullptr;
  for (Queue* queue : queues) {
    Record* first = queue->first(now, [&](const Record& r) { return is_eligible(r, now); });
    if (first && (!best || (*first->in_line)->first < (*best->in_line)->first)) best = first;
  }
  return best;
}

std::optional<Claim> Store::claim(Record& record, Instant now, const Reserve& request) {
  at(Seam::claim, &record);
  const Profile& profile = decisions_.profile();
  const std::int64_t attempts = decisions_.attempts_after_claim(record);
  if (at(Seam::counter, &record) && !(record.in_line && is_eligible(record, now)))
    return std::nullopt;
  if (record.stage == Stage::leased) record.job.run_at = record.lease->expires_at;
  record.job.attempts = attempts;
  record.version = decisions_.version_after_claim(record);
  Lease lease;
  lease.token = decisions_.token_for(record, ++tokens_made_, tokens_);
  lease.attempt = profile.counter == Counter::attempt_no ? record.job.attempts : record.version;
  lease.expires_at = decisions_.expiry_of_lease(now, request.lease);
  lease.worker = decisions_.holder(request);
  record.lease = lease;
  record.settled.reset();
  record.awaits_retry = false;
  enter(record, Stage::leased);

  Claim claim;
  claim.job = show(record, now);
  claim.job.state = JobState::leased;
  claim.token = lease.token;
  if (profile.fence == Fence::token_attempt) claim.attempt = lease.attempt;
  if (profile.fence == Fence::token_version || profile.has("lease_version"))
    claim.version = record.version;
  claim.expires_at = lease.expires_at;
  return claim;
}

Result<Claims> Store::reserve(Instant now, const Reserve& request) {
  if (auto objection = decisions_.refuses_claim(request)) return *objection;
  const std::vector<Queue*> queues = open_queues(request);
  at(Seam::pause);
  Claims claims;
  if (request.job_id) {
    Record* record = find(*request.job_id);
    if (!record || std::ranges::find(queues, record->queue) == queues.end()) return claims;
    if (record->in_leases && decisions_.may_reclaim(*record, now)) expire(*record, now);
    if (record->in_line && is_eligible(*record, now))
      if (auto taken = claim(*record, now, request)) claims.claims.push_back(*std::move(taken));
    return claims;
  }
  for (Queue* queue : queues) sweep(*queue, now);
  while (static_cast<std::int64_t>(claims.claims.size()) < request.max) {
    Record* record = next_in(queues, now);
    if (!record) break;
    if (auto taken = claim(*record, now, request)) claims.claims.push_back(*std::move(taken));
  }
  return claims;
}

}  // namespace assay::memory_queue
