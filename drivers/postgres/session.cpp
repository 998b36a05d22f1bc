#include "drivers/postgres/detail/session.h"

#include "harness/contract/check.h"

namespace assay::pg {

PostgresSession::PostgresSession(const Shared& shared, Place place, Random random,
                                 Connection& connection, std::function<void(Connection&)> release)
    : shared_(shared),
      place_(std::move(place)),
      random_(random),
      connection_(&connection),
      release_(std::move(release)) {}

PostgresSession::~PostgresSession() { static_cast<void>(close()); }

Status PostgresSession::close() {
  if (connection_) release_(*connection_);
  connection_ = nullptr;
  return Done{};
}

// Where time is virtual the store's clock begins with ours; else it is the server's own.
PostgresSession::Present PostgresSession::present(Instant caller_now) const {
  Present at;
  if (shared_.profile.clock == ClockKnob::caller)
    at.caller = to_ms(caller_now);
  else if (shared_.profile.has("virtual_time"))
    at.clock = to_ms(shared_.clock.now());
  return at;
}

std::string PostgresSession::scope() const {
  switch (shared_.profile.idem_scope) {
    case IdemScope::queue:
      return "queue";
    case IdemScope::type:
      return "type";
    case IdemScope::global:
      break;
  }
  return "global";
}

std::int64_t PostgresSession::first_attempts() const {
  return shared_.profile.counter == Counter::attempt_no ? 1 : 0;
}

static Error no_such_job(const JobId& id) { return not_found("there is no job '" + id + "'"); }

static bool same_content(const NewJob& given, const Row& stored) {
  const Job& job = stored.job;
  const auto run_at = given.run_at ? std::optional(to_ms(*given.run_at)) : std::nullopt;
  return given.queue == job.queue && given.type == job.type && given.payload == job.payload &&
         run_at == stored.given_run_at_ms && given.max_attempts == job.max_attempts &&
         given.timeout == job.timeout && given.key == job.key &&
         given.priority.value_or(0) == job.priority;
}

Result<Enqueued> PostgresSession::enqueue(Instant now, const Enqueue& request) {
  return call<Enqueued>(Phase::writing, now, request, [&](Present at) -> Result<Enqueued> {
    const Profile& profile = shared_.profile;
    const NewJob& job = request.job;
    const auto run_at = job.run_at ? std::optional(to_ms(*job.run_at)) : std::nullopt;
    const auto timeout = job.timeout ? std::optional(to_ms(*job.timeout)) : std::nullopt;
    const std::int64_t priority = job.priority.value_or(0);
    const auto answers = ask("enqueue", at, to_hex(job.id), to_hex(job.queue), to_hex(job.type),
                             pqxx::binarystring(job.payload), run_at, job.max_attempts, timeout,
                             to_hex(job.key), priority, profile.has("priority") ? priority : 0,
                             job.attempts.value_or(first_attempts()), random_.hex(8), keyed(),
                             scope(), profile.has("schedule_at_enqueue"));
    const pqxx::row answer = answers.at(0);
    const std::string verdict = verdict_of(answer);
    if (verdict == "made") return Enqueued{id_of(answer), false};
    if (verdict == "unscheduled")
      return unsupported("the profile '" + profile.name + "' has no schedule_at_enqueue");
    if (verdict == "key") {
      if (profile.idem == Idem::return_existing) return Enqueued{id_of(answer), true};
      return Error{ErrorCode::duplicate_key,
                   "the key is held by the active job '" + id_of(answer) + "'"};
    }
    if (same_content(job, read_row(answer, hidden()))) return Enqueued{*job.id, true};
    return Error{ErrorCode::duplicate_id, "a job '" + *job.id + "' of other content exists"};
  });
}

Result<Cancelled> PostgresSession::cancel(Instant now, const Cancel& request) {
  return call<Cancelled>(Phase::writing, now, request, [&](Present at) -> Result<Cancelled> {
    const auto answer = ask("cancel", at, to_hex(request.job_id), releases()).at(0);
    const std::string verdict = verdict_of(answer);
    if (verdict == "done") return Cancelled{};
    if (verdict == "missing") return no_such_job(request.job_id);
    return conflict("the job is " + std::string(name_of(read_row(answer, hidden()).job.state)) +
                    " already");
  });
}

static Status found(const pqxx::result& answers) {
  if (!answers.empty()) return Done{};
  return Error{ErrorCode::unavailable,
               "the namespace is gone: set it up again and open new sessions",
               LeaseReason::unstated, true};
}

Status PostgresSession::pause(Instant now, const Pause& request) {
  return call<Done>(Phase::writing, now, request, [&](Present) {
    return found(connection_->ask(shared_.sql.pause, place_.era, to_hex(request.queue)));
  });
}

Status PostgresSession::resume(Instant now, const Resume& request) {
  return call<Done>(Phase::writing, now, request, [&](Present) {
    return found(connection_->ask(shared_.sql.resume, place_.era, to_hex(request.queue)));
  });
}

}  // namespace assay::pg
