// Enqueue, alone and many at once.
#include <algorithm>

#include "drivers/postgres/detail/many_jobs.h"
#include "drivers/postgres/detail/session.h"
#include "harness/contract/check.h"

namespace assay::pg {

Result<Enqueued> PostgresSession::enqueued(const pqxx::row& answer, const NewJob& job) const {
  const Profile& profile = shared_.profile;
  const std::string verdict = verdict_of(answer);
  if (verdict == "made") return Enqueued{id_of(answer), false};
  if (verdict == "unscheduled")
    return unsupported("the profile '" + profile.name + "' has no schedule_at_enqueue");
  if (verdict == "key") {
    if (profile.idem == Idem::return_existing) return Enqueued{id_of(answer), true};
    return Error{ErrorCode::duplicate_key,
                 "the key is held by the active job '" + id_of(answer) + "'"};
  }
  if (verdict == "same") return Enqueued{*job.id, true};
  return Error{ErrorCode::duplicate_id, "a job '" + *job.id + "' of other content exists"};
}

// Each session makes ids of its own, so that none waits for another at the same place of an index.
JobId PostgresSession::next_id() {
  if (ids_.empty()) ids_ = "job-" + random_.hex(16) + "-";
  return ids_ + std::to_string(++made_);
}

std::optional<JobId> PostgresSession::enqueue_quickly(std::int64_t now_ms, const NewJob& job) {
  const Profile& profile = shared_.profile;
  const auto run_at = run_at_of(job);
  if (job.id || job.key || !is_brief(job.queue) ||
      (run_at > now_ms && !profile.has("schedule_at_enqueue")))
    return std::nullopt;
  const std::int64_t priority = job.priority.value_or(0);
  JobId id = next_id();
  try {
    const auto made = connection_->ask(
        shared_.sql.quick_enqueue_by_caller, place_.era, now_ms, to_hex(id), to_hex(job.queue),
        to_hex(job.type), pqxx::binarystring(job.payload), run_at, job.max_attempts,
        timeout_of(job), priority, profile.has("priority") ? priority : 0,
        job.attempts.value_or(first_attempts()));
    if (made.affected_rows() == 1) return id;
  } catch (const pqxx::unique_violation&) {
    ids_.clear();
  }
  return std::nullopt;
}

Result<Enqueued> PostgresSession::enqueue(Instant now, const Enqueue& request) {
  return call<Enqueued>(Phase::writing, now, request, [&](Present at) {
    const Profile& profile = shared_.profile;
    const NewJob& job = request.job;
    const std::int64_t priority = job.priority.value_or(0);
    if (at.caller)
      if (auto id = enqueue_quickly(*at.caller, job))
        return Result(Enqueued{*std::move(id), false});
    const auto ask_for = [&](auto ask) {
      return ask(to_hex(job.id), to_hex(job.queue), to_hex(job.type),
                 pqxx::binarystring(job.payload), run_at_of(job), job.max_attempts, timeout_of(job),
                 to_hex(job.key), priority, profile.has("priority") ? priority : 0,
                 job.attempts.value_or(first_attempts()), random_.hex(8), keyed(), scope(),
                 profile.has("schedule_at_enqueue"));
    };
    pqxx::result answers;
    if (is_quick("enqueue"))
      answers = ask_for([&](const auto&... values) {
        return ask_plainly(shared_.sql.quick_enqueue, at, values...);
      });
    if (answers.empty())
      answers = ask_for([&](const auto&... values) { return ask("enqueue", at, values...); });
    return enqueued(answers.at(0), job);
  });
}

// As many as go together: some, so that a lost one leaves few in doubt, and none too large.
static std::size_t chunk_end(std::span<const Enqueue> requests, std::size_t from) {
  constexpr std::size_t most = 1000, most_bytes = 4U << 20U;
  std::size_t bytes = 0, end = from;
  while (end < requests.size() && end - from < most && (end == from || bytes < most_bytes))
    bytes += requests[end++].job.payload.size();
  return end;
}

// Nothing that is there can be in their way.
bool PostgresSession::is_met_by_nothing(const NewJob& job) const {
  return !job.id && !job.key && (!job.run_at || shared_.profile.has("schedule_at_enqueue"));
}

// All but payloads; none brings an id or a key.
static bool are_alike(const std::vector<const NewJob*>& jobs) {
  const NewJob& first = *jobs.front();
  return !first.id && !first.key && std::ranges::all_of(jobs, [&](const NewJob* job) {
    return !job->id && !job->key && job->queue == first.queue && job->type == first.type &&
           job->run_at == first.run_at && job->max_attempts == first.max_attempts &&
           job->timeout == first.timeout && job->priority == first.priority &&
           job->attempts == first.attempts;
  });
}

std::vector<JobId> PostgresSession::enqueue_alike(std::int64_t now_ms,
                                                  const std::vector<const NewJob*>& jobs) {
  const Profile& profile = shared_.profile;
  const NewJob& job = *jobs.front();
  const auto run_at = run_at_of(job);
  if (!are_alike(jobs) || !is_brief(job.queue) ||
      (run_at > now_ms && !profile.has("schedule_at_enqueue")))
    return {};
  const std::int64_t priority = job.priority.value_or(0);
  std::vector<JobId> ids;
  std::vector<const JobId*> each;
  for (std::size_t i = 0; i < jobs.size(); ++i) ids.push_back(next_id());
  for (const JobId& id : ids) each.push_back(&id);
  try {
    const auto made = connection_->ask(
        shared_.sql.quick_enqueue_alike_by_caller, place_.era, now_ms,
        array_of_bytes(each, [](const JobId& id) { return std::optional(id); }), to_hex(job.queue),
        to_hex(job.type),
        array_of_bytes(jobs, [](const NewJob& one) { return std::optional(one.payload); }), run_at,
        job.max_attempts, timeout_of(job), priority, profile.has("priority") ? priority : 0,
        job.attempts.value_or(first_attempts()));
    if (made.affected_rows() == static_cast<pqxx::result::size_type>(jobs.size())) return ids;
  } catch (const pqxx::unique_violation&) {
    ids_.clear();
  }
  return {};
}

pqxx::result PostgresSession::ask_for_all(const Present& at,
                                          const std::vector<const NewJob*>& jobs) {
  const auto ask_for = [&](auto ask) {
    return with_all(jobs, [&](const auto&... values) {
      return ask(values..., random_.hex(8), keyed(), scope(),
                 shared_.profile.has("schedule_at_enqueue"));
    });
  };
  if (std::ranges::all_of(jobs, [&](const NewJob* job) { return is_met_by_nothing(*job); })) {
    auto answers = ask_for([&](const auto&... values) {
      return ask_plainly(shared_.sql.quick_enqueue_all, at, values...);
    });
    if (!answers.empty()) return answers;
  }
  return ask_for([&](const auto&... values) { return ask("enqueue_all", at, values...); });
}

std::vector<Result<Enqueued>> PostgresSession::enqueue_all(Instant now,
                                                           std::span<const Enqueue> requests) {
  if (!is_quick("enqueue")) return Session::enqueue_all(now, requests);
  const auto body = [&](const Present& at, const Unanswered<Enqueued, Enqueue>& chunk) {
    std::vector<const NewJob*> jobs;
    for (const auto& [request, answer] : chunk) jobs.push_back(&request->job);
    if (at.caller)
      if (std::vector<JobId> ids = enqueue_alike(*at.caller, jobs); !ids.empty()) {
        for (std::size_t i = 0; i < ids.size(); ++i)
          *chunk[i].second = Enqueued{std::move(ids[i]), false};
        return;
      }
    const auto answers = ask_for_all(at, jobs);
    CHECK(answers.size() == static_cast<pqxx::result::size_type>(jobs.size()));
    int place = 0;
    for (const auto& [request, answer] : chunk) *answer = enqueued(answers[place++], request->job);
  };
  const auto alone = [&](const Enqueue& request) { return enqueue(now, request); };
  return in_chunks<Enqueued>(now, requests, chunk_end, body, alone);
}

}  // namespace assay::pg
