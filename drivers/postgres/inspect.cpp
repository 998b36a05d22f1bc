// Get, list, dead and requeue: what people do.
#include <limits>

#include "drivers/postgres/detail/session.h"
#include "drivers/stored/cursor.h"

namespace assay::pg {

static Error gone() {
  return {ErrorCode::unavailable, "the namespace is gone: set it up again and open new sessions",
          LeaseReason::unstated, true};
}

Result<JobView> PostgresSession::get(Instant now, const Get& request) {
  return call<JobView>(Phase::reading, now, request, [&](Present at) -> Result<JobView> {
    const auto answers =
        connection_->ask(shared_.sql.get, place_.era, at.caller, at.clock, to_hex(request.job_id));
    if (answers.empty()) return gone();
    if (!has_job(answers[0])) return not_found("there is no job '" + request.job_id + "'");
    Row row = read_row(answers[0], hidden());
    JobView view;
    view.job = std::move(row.job);
    if (view.job.state == JobState::leased) {
      view.lease =
          LeaseView{row.token.value_or(""), instant_from_ms(row.expires_at_ms.value_or(0)), {}};
      if (row.worker && !row.worker->empty()) view.lease->worker = row.worker;
    }
    view.dead = std::move(row.dead);
    return view;
  });
}

static stored::Cursor page_start(std::string_view kind, const std::optional<std::string>& cursor) {
  if (!cursor) return {std::numeric_limits<std::int64_t>::min(), ""};
  return *stored::parse_cursor(kind, *cursor);
}

// One row more than the page holds tells whether there is another.
static std::int64_t one_more(std::int64_t limit) {
  return limit == std::numeric_limits<std::int64_t>::max() ? limit : limit + 1;
}

// Requires: the answers come from a statement that asked for one more.
static std::vector<Row> page_of(const pqxx::result& answers, std::int64_t limit, bool hidden,
                                bool& is_last) {
  std::vector<Row> rows;
  is_last = true;
  for (const pqxx::row answer : answers) {
    if (!has_job(answer)) break;
    if (static_cast<std::int64_t>(rows.size()) == limit) {
      is_last = false;
      break;
    }
    rows.push_back(read_row(answer, hidden));
  }
  return rows;
}

Result<JobPage> PostgresSession::list(Instant now, const List& request) {
  return call<JobPage>(Phase::reading, now, request, [&](Present at) -> Result<JobPage> {
    const stored::Cursor after = page_start("list", request.cursor);
    std::optional<std::string> state;
    if (request.state) state = std::string(name_of(*request.state));
    const auto answers =
        connection_->ask(shared_.sql.list, place_.era, at.caller, at.clock, to_hex(request.queue),
                         after.at_ms, to_hex(after.id), state, hidden(), one_more(request.limit));
    if (answers.empty()) return gone();
    bool is_last = true;
    JobPage page;
    for (Row& row : page_of(answers, request.limit, hidden(), is_last))
      page.jobs.push_back(std::move(row.job));
    if (!is_last)
      page.cursor =
          stored::show_cursor("list", {to_ms(*page.jobs.back().created_at), page.jobs.back().id});
    return page;
  });
}

Result<DeadPage> PostgresSession::dead(Instant now, const Dead& request) {
  return call<DeadPage>(Phase::reading, now, request, [&](Present at) -> Result<DeadPage> {
    const stored::Cursor after = page_start("dead", request.cursor);
    const auto answers =
        connection_->ask(shared_.sql.dead, place_.era, at.caller, at.clock, to_hex(request.queue),
                         after.at_ms, to_hex(after.id), one_more(request.limit));
    if (answers.empty()) return gone();
    bool is_last = true;
    DeadPage page;
    for (Row& row : page_of(answers, request.limit, hidden(), is_last)) {
      const DeadView view = row.dead.value_or(DeadView{});
      const JobId id = row.job.id;
      page.entries.push_back({id, std::move(row.job), view.reason, view.error, view.at});
    }
    if (!is_last)
      page.cursor =
          stored::show_cursor("dead", {to_ms(page.entries.back().at), page.entries.back().job_id});
    return page;
  });
}

Result<Requeued> PostgresSession::requeue(Instant now, const Requeue& request) {
  return call<Requeued>(Phase::writing, now, request, [&](Present at) -> Result<Requeued> {
    const bool fresh = shared_.profile.replay == Replay::fresh_job;
    const auto run_at = request.run_at ? std::optional(to_ms(*request.run_at)) : std::nullopt;
    const auto reset = request.reset_attempts ? std::optional(first_attempts()) : std::nullopt;
    const std::string id = to_hex(request.job_id);
    const auto answers = fresh
                             ? ask("replay", at, id, run_at, releases(), keyed(), scope(),
                                   first_attempts(), random_.hex(8))
                             : ask("requeue", at, id, run_at, releases(), keyed(), scope(), reset);
    const pqxx::row answer = answers.at(0);
    const std::string verdict = verdict_of(answer);
    if (verdict == "done") return Requeued{id_of(answer)};
    if (verdict == "missing") return not_found("there is no job '" + request.job_id + "'");
    if (verdict == "replayed") return not_found("the job was replayed already: its record is gone");
    if (verdict == "key") return conflict("the job's key is held by another active job");
    return conflict("only a dead job can be requeued; this one is " +
                    std::string(name_of(read_row(answer, hidden()).job.state)));
  });
}

}  // namespace assay::pg
