#include "drivers/sqlite/detail/session.h"

#include <algorithm>
#include <limits>

namespace assay::lite {

std::int64_t plus(std::int64_t ms, Duration length) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(ms, length.count(), &sum))
    return length.count() > 0 ? std::numeric_limits<std::int64_t>::max()
                              : std::numeric_limits<std::int64_t>::min();
  return sum;
}

SqliteSession::SqliteSession(const Shared& shared, std::int64_t ns, Random random,
                             Connection& connection, std::function<void(Connection&)> release)
    : shared_(shared),
      ns_(ns),
      random_(random),
      connection_(&connection),
      release_(std::move(release)) {}

SqliteSession::~SqliteSession() { static_cast<void>(close()); }

Status SqliteSession::close() {
  if (connection_) release_(*connection_);
  connection_ = nullptr;
  return Done{};
}

Query& SqliteSession::shown(Query& query, std::int64_t now) const {
  return query.with(":now", now)
      .with(":hidden", shared_.profile.retry_view == RetryView::ready_hidden);
}

Result<std::int64_t> SqliteSession::present_ms(Instant caller_now) {
  Query query = ask(shared_.sql.offset);
  if (!query.next())
    return Error{ErrorCode::unavailable,
                 shared_.where + ": the namespace is gone; set it up again and open new sessions",
                 LeaseReason::unstated, true};
  if (shared_.profile.clock == ClockKnob::caller) return to_ms(caller_now);
  return plus(to_ms(shared_.clock.now()), Duration{query.number(0)});
}

std::int64_t SqliteSession::next_sequence() {
  Query query = ask(shared_.sql.next_sequence);
  CHECK(query.next());
  return query.number(0);
}

void SqliteSession::arrives(std::int64_t now, std::int64_t run_at, const std::string& queue,
                            const JobId& id) {
  if (run_at <= now && shared_.bell.is_heard()) arrivals_.push_back({queue, id});
}

std::optional<Row> SqliteSession::find(std::int64_t now, const JobId& id) {
  Query query = ask(shared_.sql.find);
  shown(query, now).with(":id", id);
  if (!query.next()) return std::nullopt;
  return read_row(query);
}

std::int64_t SqliteSession::first_attempts() const {
  return shared_.profile.counter == Counter::attempt_no ? 1 : 0;
}

std::int64_t SqliteSession::runs_allowed(std::optional<std::int64_t> limit) const {
  const std::int64_t stated = limit.value_or(0) > 0 ? *limit : shared_.profile.default_limit;
  if (shared_.profile.limit_unit == LimitUnit::retries) return plus(stated, Duration{1});
  return std::max<std::int64_t>(stated, 1);
}

Duration SqliteSession::draw_backoff(std::int64_t failure) {
  const std::int64_t cap = std::max<std::int64_t>(0, shared_.profile.backoff.cap.count());
  std::int64_t window = std::clamp<std::int64_t>(shared_.profile.backoff.base.count(), 0, cap);
  for (std::int64_t n = 1; n < failure && window > 0 && window < cap; ++n)
    window = window > cap / 2 ? cap : window * 2;
  return Duration{static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(window) + 1))};
}

Result<Cancelled> SqliteSession::cancel(Instant now, const Cancel& request) {
  return call<Cancelled>(Kind::write, now, request, [&](std::int64_t at) -> Result<Cancelled> {
    if (ask(shared_.sql.cancel).with(":id", request.job_id).execute() == 1) return Cancelled{};
    const auto row = find(at, request.job_id);
    if (!row) return not_found("there is no job '" + request.job_id + "'");
    return conflict("the job is " + std::string(name_of(row->job.state)) + " already");
  });
}

Status SqliteSession::pause(Instant now, const Pause& request) {
  return call<Done>(Kind::write, now, request, [&](std::int64_t) -> Status {
    ask(shared_.sql.pause).with(":queue", request.queue).execute();
    return Done{};
  });
}

Status SqliteSession::resume(Instant now, const Resume& request) {
  return call<Done>(Kind::write, now, request, [&](std::int64_t) -> Status {
    ask(shared_.sql.resume).with(":queue", request.queue).execute();
    if (shared_.bell.is_heard()) arrivals_.push_back({request.queue, std::nullopt});
    return Done{};
  });
}

bool SqliteSession::is_paused(const std::string& queue) {
  return ask(shared_.sql.is_paused).with(":queue", queue).next();
}

}  // namespace assay::lite
