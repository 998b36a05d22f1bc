#include "engine/detail/outbox_loop.h"

#include <fmt/format.h>

#include "engine/failure.h"

namespace assay::engine::detail {
namespace {

std::string id_of(const Record& record) { return record.key.substr(outbox_prefix.size()); }

// Whoever else changed the row did what was to be done, or wrote it anew.
std::optional<Error> trouble_in(const Result<Committed>& answer) {
  if (answer.ok() || answer.error().code == ErrorCode::conflict) return std::nullopt;
  return answer.error();
}

Enqueue job_of(const OutboxRow& row) {
  NewJob job;
  job.id = row_id(row);
  // Ids have a bound of their own in some stores.
  if (job.id->size() > 255)
    job.id = fmt::format("route_event/{:016x}{:016x}", stable_hash(*job.id),
                         stable_hash(*job.id, stable_hash(row.task)));
  job.queue = row.target;
  job.type = "event";
  job.payload = row.body;
  return {job};
}

}  // namespace

Result<bool> OutboxLoop::turn(Line& line) {
  for (int i = 0; i < office_.options.pages; ++i) {
    const auto now = office_.store_now();
    if (!now.ok()) return now.error();
    now_ = *now;
    const Scan scan{std::string(outbox_prefix), after_, office_.options.page};
    const auto page = line.call([&](Session& session) -> Result<RecordPage> {
      Records* records = session.records();
      if (!records) return unsupported("the driver keeps no records");
      return records->scan(office_.now(), scan);
    });
    if (!page.ok()) return page.error();
    for (const Record& record : page.value().records) {
      if (office_.ends()) return false;
      after_ = record.key;
      if (auto trouble = handle(line, record)) return *trouble;
    }
    if (page.value().more && !page.value().records.empty()) continue;
    after_.reset();
    return false;
  }
  return true;
}

OutboxLoop::Trouble OutboxLoop::handle(Line& line, const Record& record) {
  const auto row = row_in(record);
  if (!row) return park(line, record, {}, record.value, invalid("the row cannot be read"));
  const bool is_due = row->due_at.value_or(now_) <= now_;
  // Between two tries nothing waits for longer: the clock was set back.
  const bool waits_too_long =
      row->tries > 0 && *row->due_at > later(now_, office_.options.rows.cap);
  if (!is_due && !waits_too_long) return std::nullopt;
  return perform(line, record, *row);
}

OutboxLoop::Trouble OutboxLoop::perform(Line& line, const Record& record, const OutboxRow& row) {
  if (row.kind == RowKind::announce_task) return announce(line, record, row);
  if (!office_.options.route) return make_job(line, record, row);
  const Status routed = office_.options.route(row);
  if (!routed.ok()) return failed(line, record, row, routed.error());
  return finish(line, record, row);
}

OutboxLoop::Trouble OutboxLoop::announce(Line& line, const Record& record, const OutboxRow& row) {
  if (!row.due_at && office_.profile.has("inspect")) {
    const auto seen = line.call([&](Session& s) { return s.get(office_.now(), {row.task}); });
    if (!seen.ok() && is_trouble(seen.error())) return seen.error();
    const bool is_gone = !seen.ok() || is_terminal(seen.value().job.state);
    if (is_gone) return finish(line, record, row);
    const Job& job = seen.value().job;
    if (job.state != JobState::leased && job.run_at.value_or(now_) > now_)
      return postpone(line, record, row, *job.run_at);
  }
  const auto channel = office_.options.channels.find(row.target);
  if (channel == office_.options.channels.end())
    return failed(line, record, row, not_found("no channel leads to the queue " + row.target));
  office_.tell(row.task, row.run, WakeUpSent{});
  const Status sent = channel->second->announce(row.task);
  if (!sent.ok()) return failed(line, record, row, sent.error());
  office_.note(row.task, why_of_run(row.run), Announced::What::was);
  return finish(line, record, row);
}

OutboxLoop::Trouble OutboxLoop::make_job(Line& line, const Record& record, const OutboxRow& row) {
  Commit commit;
  commit.drops.push_back({record.key, record.version});
  commit.enqueues.push_back(job_of(row));
  const auto made = detail::commit(line, office_.now(), commit);
  if (!made.ok() && made.error().code == ErrorCode::conflict) return std::nullopt;
  if (!made.ok() && is_trouble(made.error())) return made.error();
  if (!made.ok()) return failed(line, record, row, made.error());
  office_.tell(row.task, row.run, RowPerformed{id_of(record), row.tries + 1});
  return std::nullopt;
}

OutboxLoop::Trouble OutboxLoop::finish(Line& line, const Record& record, const OutboxRow& row) {
  office_.tell(row.task, row.run, RowPerformed{id_of(record), row.tries + 1});
  Commit commit;
  commit.drops.push_back({record.key, record.version});
  return trouble_in(detail::commit(line, office_.now(), commit));
}

OutboxLoop::Trouble OutboxLoop::postpone(Line& line, const Record& record, OutboxRow row,
                                         Instant until) {
  row.due_at = until;
  Commit commit;
  commit.puts.push_back(put_of(row));
  commit.puts.back().if_version = record.version;
  return trouble_in(detail::commit(line, office_.now(), commit));
}

OutboxLoop::Trouble OutboxLoop::failed(Line& line, const Record& record, OutboxRow row,
                                       const Error& error) {
  ++row.tries;
  row.last_error = error.message;
  if (row.tries >= office_.options.rows.runs) {
    std::string value = put_of(row).value;
    return park(line, record, row, std::move(value), error);
  }
  row.due_at = later(now_, office_.delay_of_row(row.tries));
  office_.tell(row.task, row.run, RowFailed{id_of(record), row.tries, error, *row.due_at});
  Commit commit;
  commit.puts.push_back(put_of(row));
  commit.puts.back().if_version = record.version;
  return trouble_in(detail::commit(line, office_.now(), commit));
}

OutboxLoop::Trouble OutboxLoop::park(Line& line, const Record& record, const OutboxRow& row,
                                     std::string value, const Error& error) {
  Commit commit;
  commit.puts.push_back({std::string(parked_prefix) + id_of(record), std::move(value), {}});
  commit.drops.push_back({record.key, record.version});
  const auto parked = detail::commit(line, office_.now(), commit);
  if (parked.ok()) office_.tell(row.task, row.run, RowParked{id_of(record), row.tries, error});
  return trouble_in(parked);
}

}  // namespace assay::engine::detail
