// Lookup, enqueue, and the way from one stage to another.
#include "drivers/memory/store.h"

#include <utility>

namespace assay::memory_queue {

Store::Store(const Decisions& decisions, std::uint64_t seed, std::function<void()> let_others_in)
    : decisions_(decisions),
      let_others_in_(std::move(let_others_in)),
      ids_(Random(seed).fork("id")),
      tokens_(Random(seed).fork("token")),
      jitter_(Random(seed).fork("jitter")) {}

Record* Store::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Queue* Store::find_queue(std::string_view name) {
  const auto found = queues_.find(name);
  return found == queues_.end() ? nullptr : &found->second;
}

JobId Store::new_id() {
  JobId id;
  do {
    id = "job-" + std::to_string(jobs_made_) + "-" + ids_.hex(8);
  } while (by_id_.contains(id));
  return id;
}

Record* Store::holder_of_key(const Job& job) const {
  if (!job.key || decisions_.profile().idem == Idem::none) return nullptr;
  const auto found = keys_.find(decisions_.key_scope(job));
  return found == keys_.end() ? nullptr : found->second;
}

void Store::take_key(Record& record) {
  if (record.job.key && decisions_.profile().idem != Idem::none)
    keys_[decisions_.key_scope(record.job)] = &record;
}

void Store::release_key(const Record& record) {
  if (holder_of_key(record.job) == &record) keys_.erase(decisions_.key_scope(record.job));
}

void Store::enter(Record& record, Stage stage) {
  Queue& queue = *record.queue;
  queue.withdraw(record);
  record.stage = stage;
  if (decisions_.releases_key(stage)) release_key(record);
  if (decisions_.stands_in_line(stage)) {
    queue.stand_in_line(record, decisions_.order_of(record), decisions_.claimable_from(record));
    if (lines_are_watched_) arrivals_.push_back(&record);
  } else if (stage == Stage::leased)
    queue.hold_lease(record, record.lease->expires_at);
  if (stage == Stage::dead && !record.replayed) queue.bury(record);
}

void Store::change(Record& record, const Outcome& after) {
  record.job.run_at = after.run_at;
  record.job.attempts = after.attempts;
  record.job.last_error = after.last_error;
  record.lease_losses = after.lease_losses;
  record.dead = after.dead;
  if (after.stage != Stage::leased && !decisions_.keeps_lease(after.stage)) record.lease.reset();
  enter(record, after.stage);
}

std::vector<const Record*> Store::take_arrivals(Instant now) {
  std::vector<const Record*> arrived = std::exchange(arrivals_, {});
  std::erase_if(arrived, [&](const Record* record) {
    return !record->in_line || decisions_.claimable_from(*record) > now;
  });
  return arrived;
}

Record& Store::insert(const NewJob& job, Instant now) {
  ++jobs_made_;
  Record& record = records_.emplace_back();
  record.job = decisions_.stored(job, now);
  record.job.id = job.id ? *job.id : new_id();
  record.given_run_at = job.run_at;
  record.sequence = jobs_made_;
  record.queue = &queues_[record.job.queue];
  record.queue->enlist(record);
  by_id_.insert_or_assign(record.job.id, &record);
  take_key(record);
  enter(record, Stage::waiting);
  return record;
}

Result<Enqueued> Store::enqueue(Instant now, const Enqueue& request) {
  if (auto objection = decisions_.refuses(request, now)) return *objection;
  const NewJob& job = request.job;
  if (job.key) {
    Job asked;
    asked.queue = job.queue;
    asked.type = job.type;
    asked.key = job.key;
    if (Record* holder = holder_of_key(asked)) {
      if (decisions_.profile().idem == Idem::reject_active)
        return Error{ErrorCode::duplicate_key, "the key is held by " + holder->job.id};
      decisions_.on_duplicate(*holder, job);
      return Enqueued{holder->job.id, true};
    }
  }
  if (job.key) at(Seam::key);
  Record* taken = job.id ? find(*job.id) : nullptr;
  if (taken && decisions_.id_is_taken(*taken)) {
    if (decisions_.same_content(*taken, job)) return Enqueued{*job.id, true};
    return Error{ErrorCode::duplicate_id, "another job is called " + *job.id};
  }
  return Enqueued{insert(job, now).job.id, false};
}

}  // namespace assay::memory_queue
