#include "drivers/postgres/detail/session.h"

#include <algorithm>

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

PostgresSession::Chunk PostgresSession::send(Instant caller_now,
                                             const std::function<void(Present)>& body) {
  Phase reached = Phase::connecting;
  try {
    connection_->use_schema(place_.schema);
    connection_->make_ready();
    reached = Phase::writing;
    body(present(caller_now));
    return {};
  } catch (const pqxx::sql_error&) {
    Error error = to_error(reached, shared_.location);
    const bool taken_back = reached == Phase::writing && is_definite(error);
    return {std::move(error), taken_back};
  } catch (...) {
    return {to_error(reached, shared_.location), false};
  }
}

pqxx::result PostgresSession::ask_in_rounds(
    const std::string& function, const std::function<pqxx::result(const std::string&)>& call) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  pqxx::result answer;
  try {
    for (const std::string& round : shared_.sql.rounds.at(function))
      if (std::ranges::any_of(round, is_capital))
        connection_->run(round);
      else if (round == function)
        answer = call(round);
      else
        call(round);
  } catch (...) {
    connection_->take_back();
    throw;
  }
  return answer;
}

static Error no_such_job(const JobId& id) { return not_found("there is no job '" + id + "'"); }

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
