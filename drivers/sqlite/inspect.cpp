// Get, list, dead and requeue: what people do.
#include <limits>

#include "drivers/sqlite/detail/session.h"
#include "drivers/stored/cursor.h"

namespace assay::lite {

Result<JobView> SqliteSession::get(Instant now, const Get& request) {
  return call<JobView>(Kind::read, now, request, [&](std::int64_t at) -> Result<JobView> {
    auto row = find(at, request.job_id);
    if (!row) return not_found("there is no job '" + request.job_id + "'");
    JobView view;
    view.job = std::move(row->job);
    if (view.job.state == JobState::leased) {
      view.lease =
          LeaseView{row->token.value_or(""), instant_from_ms(row->expires_at_ms.value_or(0)), {}};
      if (row->worker && !row->worker->empty()) view.lease->worker = row->worker;
    }
    view.dead = std::move(row->dead);
    return view;
  });
}

// Binds the place where a page begins, and one row more than it holds: whether there is another.
static stored::Cursor page_start(std::string_view kind, const std::optional<std::string>& cursor) {
  if (!cursor) return {std::numeric_limits<std::int64_t>::min(), ""};
  return *stored::parse_cursor(kind, *cursor);
}

static std::int64_t one_more(std::int64_t limit) { return plus(limit, Duration{1}); }

Result<JobPage> SqliteSession::list(Instant now, const List& request) {
  return call<JobPage>(Kind::read, now, request, [&](std::int64_t at) -> Result<JobPage> {
    const stored::Cursor after = page_start("list", request.cursor);
    Query query = ask(shared_.sql.list);
    shown(query, at)
        .with(":queue", request.queue)
        .with(":after_at", after.at_ms)
        .with(":after_id", after.id)
        .with(":limit", one_more(request.limit));
    if (request.state) query.with_text(":state", name_of(*request.state));
    JobPage page;
    while (query.next()) {
      if (static_cast<std::int64_t>(page.jobs.size()) == request.limit) {
        const Job& last = page.jobs.back();
        page.cursor = stored::show_cursor("list", {to_ms(*last.created_at), last.id});
        break;
      }
      page.jobs.push_back(read_row(query).job);
    }
    return page;
  });
}

Result<DeadPage> SqliteSession::dead(Instant now, const Dead& request) {
  return call<DeadPage>(Kind::read, now, request, [&](std::int64_t at) -> Result<DeadPage> {
    const stored::Cursor after = page_start("dead", request.cursor);
    Query query = ask(shared_.sql.dead);
    shown(query, at)
        .with(":queue", request.queue)
        .with(":after_at", after.at_ms)
        .with(":after_id", after.id)
        .with(":limit", one_more(request.limit));
    DeadPage page;
    while (query.next()) {
      if (static_cast<std::int64_t>(page.entries.size()) == request.limit) {
        const DeadEntry& last = page.entries.back();
        page.cursor = stored::show_cursor("dead", {to_ms(last.at), last.job_id});
        break;
      }
      Row row = read_row(query);
      const DeadView view = row.dead.value_or(DeadView{});
      const JobId id = row.job.id;
      page.entries.push_back({id, std::move(row.job), view.reason, view.error, view.at});
    }
    return page;
  });
}

Result<Requeued> SqliteSession::requeue(Instant now, const Requeue& request) {
  return call<Requeued>(Kind::write, now, request,
                        [&](std::int64_t at) { return requeue_at(at, request); });
}

Result<Requeued> SqliteSession::requeue_at(std::int64_t now, const Requeue& request) {
  const Profile& profile = shared_.profile;
  const auto row = find(now, request.job_id);
  if (!row) return not_found("there is no job '" + request.job_id + "'");
  const Job& job = row->job;
  const bool fresh = profile.replay == Replay::fresh_job;
  if (fresh && job.state == JobState::dead && !row->dead_listed)
    return not_found("the job was replayed already: its record is gone");
  if (job.key && profile.idem == Idem::reject_active && is_terminal(job.state))
    if (const auto holder = key_holder(job.queue, job.type, *job.key))
      return conflict("the job's key is held by the active job '" + *holder + "'");
  if (fresh) return replay_fresh(now, request, job);
  Query query = ask(shared_.sql.requeue);
  const std::int64_t run_at = request.run_at ? to_ms(*request.run_at) : now;
  query.with(":id", request.job_id).with(":run_at", run_at);
  if (request.reset_attempts) query.with(":attempts", first_attempts());
  if (query.execute() == 1) {
    arrives(now, run_at, job.queue, job.id);
    return Requeued{request.job_id};
  }
  return conflict("only a dead job can be requeued; this one is " +
                  std::string(name_of(job.state)));
}

Result<Requeued> SqliteSession::replay_fresh(std::int64_t now, const Requeue& request,
                                             const Job& job) {
  if (ask(shared_.sql.drop_record).with(":id", request.job_id).execute() != 1)
    return conflict("only a dead job can be requeued; this one is " +
                    std::string(name_of(job.state)));
  NewJob replay;
  replay.queue = job.queue;
  replay.type = job.type;
  replay.payload = job.payload;
  replay.run_at = request.run_at;
  replay.max_attempts = job.max_attempts;
  replay.timeout = job.timeout;
  replay.key = job.key;
  replay.priority = job.priority;
  return Requeued{insert(now, replay, first_attempts())};
}

}  // namespace assay::lite
