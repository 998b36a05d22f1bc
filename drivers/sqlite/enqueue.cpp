// Enqueue: keys, ids and the row of a new job.
#include "drivers/sqlite/detail/session.h"

namespace assay::lite {

static bool same_content(const NewJob& given, const Row& stored) {
  const Job& job = stored.job;
  const auto run_at = given.run_at ? std::optional(to_ms(*given.run_at)) : std::nullopt;
  return given.queue == job.queue && given.type == job.type && given.payload == job.payload &&
         run_at == stored.given_run_at_ms && given.max_attempts == job.max_attempts &&
         given.timeout == job.timeout && given.key == job.key &&
         given.priority.value_or(0) == job.priority;
}

std::optional<JobId> SqliteSession::key_holder(const std::string& queue, const std::string& type,
                                               const std::string& key) {
  const Profile& profile = shared_.profile;
  const std::string& sql = profile.idem_scope == IdemScope::queue  ? shared_.sql.key_in_queue
                           : profile.idem_scope == IdemScope::type ? shared_.sql.key_in_type
                                                                   : shared_.sql.key_anywhere;
  Query query = ask(sql);
  query.with(":queue", queue)
      .with(":type", type)
      .with(":key", key)
      .with(":active", profile.idem == Idem::reject_active);
  if (!query.next()) return std::nullopt;
  return query.bytes(0);
}

Result<Enqueued> SqliteSession::enqueue(Instant now, const Enqueue& request) {
  return call<Enqueued>(Kind::write, now, request,
                        [&](std::int64_t at) { return enqueue_at(at, request.job); });
}

Result<Enqueued> SqliteSession::enqueue_at(std::int64_t now, const NewJob& job) {
  const Profile& profile = shared_.profile;
  if (job.run_at && to_ms(*job.run_at) > now && !profile.has("schedule_at_enqueue"))
    return unsupported("the profile '" + profile.name + "' has no schedule_at_enqueue");
  if (job.key && profile.idem != Idem::none)
    if (const auto holder = key_holder(job.queue, job.type, *job.key)) {
      if (profile.idem == Idem::return_existing) return Enqueued{*holder, true};
      return Error{ErrorCode::duplicate_key, "the key is held by the active job '" + *holder + "'"};
    }
  if (job.id)
    if (const auto stored = find(now, *job.id)) {
      if (same_content(job, *stored)) return Enqueued{*job.id, true};
      return Error{ErrorCode::duplicate_id, "a job '" + *job.id + "' of other content exists"};
    }
  return Enqueued{insert(now, job, job.attempts.value_or(first_attempts())), false};
}

JobId SqliteSession::insert(std::int64_t now, const NewJob& job, std::int64_t attempts) {
  std::int64_t sequence = next_sequence();
  JobId id = job.id.value_or("");
  while (id.empty()) {
    id = "job-" + std::to_string(sequence) + "-" + random_.hex(8);
    // Somebody may have chosen just this one.
    if (find(now, id)) {
      id.clear();
      sequence = next_sequence();
    }
  }
  const auto given = job.run_at ? std::optional(to_ms(*job.run_at)) : std::nullopt;
  const auto timeout = job.timeout ? std::optional(to_ms(*job.timeout)) : std::nullopt;
  const std::int64_t priority = job.priority.value_or(0);
  Query query = ask(shared_.sql.insert);
  query.with(":seq", sequence)
      .with(":id", id)
      .with(":queue", job.queue)
      .with(":type", job.type)
      .with(":now", now)
      .with(":given_run_at", given)
      .with(":run_at", given.value_or(now))
      .with(":rank", shared_.profile.has("priority") ? priority : 0)
      .with(":priority", priority)
      .with(":max_attempts", job.max_attempts)
      .with(":timeout_ms", timeout)
      .with(":key", job.key)
      .with(":attempts", attempts)
      .with(":payload", job.payload)
      .execute();
  arrives(now, given.value_or(now), job.queue, id);
  return id;
}

}  // namespace assay::lite
