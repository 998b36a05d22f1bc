// What operators do: cancel, pause and resume, and bring the dead back.
#include "drivers/memory/store.h"

namespace assay::memory_queue {

Result<Cancelled> Store::cancel(Instant, const Cancel& request) {
  if (auto objection = objection_to_lack_of(decisions_.profile(), "cancel")) return *objection;
  Record* record = find(request.job_id);
  if (!record) return not_found("no job is called " + request.job_id);
  if (!decisions_.may_cancel(*record)) return conflict(request.job_id + " has already ended");
  at(Seam::cancel, record);
  record->lease.reset();
  enter(*record, Stage::cancelled);
  return Cancelled{};
}

Status Store::pause(const Pause& request) {
  if (auto objection = objection_to_lack_of(decisions_.profile(), "pause")) return *objection;
  if (auto objection = objection_to_queue(request.queue)) return *objection;
  queues_[request.queue].paused = true;
  return Done{};
}

Status Store::resume(const Resume& request) {
  if (auto objection = objection_to_lack_of(decisions_.profile(), "pause")) return *objection;
  if (auto objection = objection_to_queue(request.queue)) return *objection;
  queues_[request.queue].paused = false;
  return Done{};
}

Result<Requeued> Store::requeue(Instant now, const Requeue& request) {
  const Profile& profile = decisions_.profile();
  if (auto objection = objection_to_lack_of(profile, "dlq_ops")) return *objection;
  if (profile.replay == Replay::none) return unsupported("dead jobs stay dead");
  Record* record = find(request.job_id);
  if (!record || record->replayed) return not_found("no dead letter of " + request.job_id);
  if (!decisions_.may_replay(*record)) return conflict(request.job_id + " is not dead");
  // Only where a dead job gave its key back can another one have taken it.
  const bool key_was_released = profile.idem == Idem::reject_active;
  if (key_was_released && !decisions_.key_is_free_for_replay(*record, holder_of_key(record->job))) {
    decisions_.on_refused_replay(*record);
    if (record->replayed) record->queue->withdraw(*record);
    return conflict("another job holds the key of " + request.job_id);
  }
  at(Seam::replay, record);
  return profile.replay == Replay::same_job ? replay_same(now, *record, request)
                                            : replay_fresh(now, *record, request);
}

Result<Requeued> Store::replay_same(Instant now, Record& record, const Requeue& request) {
  record.settled.reset();
  record.awaits_retry = false;
  if (decisions_.replay_takes_the_key()) take_key(record);
  change(record, decisions_.on_replay(record, request, now));
  return Requeued{record.job.id};
}

Result<Requeued> Store::replay_fresh(Instant now, Record& record, const Requeue& request) {
  record.settled.reset();
  if (decisions_.replay_takes_the_record()) {
    record.replayed = true;
    record.queue->withdraw(record);
  }
  const Record& fresh = insert(decisions_.fresh_copy(record, request, now), now);
  if (!decisions_.replay_takes_the_key()) release_key(fresh);
  return Requeued{fresh.job.id};
}

}  // namespace assay::memory_queue
