#include "engine/outbox.h"

#include <fmt/format.h>

#include <array>

#include "engine/detail/fields.h"
#include "engine/failure.h"
#include "harness/contract/random.h"

namespace assay::engine {

std::string_view name_of(RowKind kind) {
  static constexpr std::array<std::string_view, 2> names{"announce_task", "route_event"};
  return names[static_cast<std::size_t>(kind)];
}

std::string row_id(const OutboxRow& row) {
  const std::string readable =
      fmt::format("{}/{}/{}/{}", name_of(row.kind), detail::escaped(row.task), row.run,
                  detail::escaped(row.target));
  // A key has a bound, with room for either prefix.
  if (readable.size() + parked_prefix.size() <= most_key_bytes) return readable;
  const std::uint64_t first = stable_hash(readable);
  return fmt::format("{}/{:016x}{:016x}", name_of(row.kind), first, stable_hash(readable, first));
}

static std::string text_of(const OutboxRow& row) {
  detail::Fields fields;
  fields.set("kind", std::string(name_of(row.kind)));
  fields.set("task", row.task);
  fields.set("run", row.run);
  fields.set("target", row.target);
  if (!row.body.empty()) fields.set("body", row.body);
  if (row.due_at) fields.set("due_at", to_ms(*row.due_at));
  if (row.tries) fields.set("tries", row.tries);
  fields.set("last_error", row.last_error);
  return fields.text();
}

Put put_of(const OutboxRow& row) {
  return {std::string(outbox_prefix) + row_id(row), text_of(row), {}};
}

std::int64_t next_run(const Profile& profile, const Job& job) {
  return std::max<std::int64_t>(1, job.attempts + (profile.counter == Counter::attempt_no ? 0 : 1));
}

std::optional<OutboxRow> row_in(const Record& record) {
  const auto fields = detail::Fields::read(record.value);
  if (!fields) return std::nullopt;
  OutboxRow row;
  const auto kind = fields->get("kind"), task = fields->get("task"), target = fields->get("target");
  const auto run = fields->number("run");
  if (!kind || !task || !target || !run) return std::nullopt;
  if (*kind == name_of(RowKind::route_event))
    row.kind = RowKind::route_event;
  else if (*kind != name_of(RowKind::announce_task))
    return std::nullopt;
  row.task = *task;
  row.run = *run;
  row.target = *target;
  row.body = fields->get("body").value_or("");
  if (const auto due = fields->number("due_at")) row.due_at = instant_from_ms(*due);
  row.tries = fields->number("tries").value_or(0);
  row.last_error = fields->get("last_error");
  return row;
}

Result<RowPage> Outbox::pending(std::optional<std::string> after, std::int64_t limit) {
  return page(std::string(outbox_prefix), std::move(after), limit, false);
}

Result<RowPage> Outbox::parked(std::optional<std::string> after, std::int64_t limit) {
  return page(std::string(parked_prefix), std::move(after), limit, true);
}

static Error no_records() { return unsupported("the driver keeps no records, so no outbox"); }

Result<RowPage> Outbox::page(const std::string& prefix, std::optional<std::string> after,
                             std::int64_t limit, bool is_parked) {
  Records* records = session_.records();
  if (!records) return no_records();
  Scan scan{prefix, {}, limit};
  if (after) scan.after = prefix + *after;
  const auto found = records->scan(clock_.now(), scan);
  if (!found.ok()) return found.error();
  RowPage page;
  page.more = found->more;
  for (const Record& record : found->records)
    page.rows.push_back({record.key.substr(prefix.size()), row_in(record), is_parked});
  return page;
}

Result<Record> Outbox::parked_record(const std::string& id) {
  Records* records = session_.records();
  if (!records) return no_records();
  const auto found = records->read(clock_.now(), std::string(parked_prefix) + id);
  if (!found.ok()) return found.error();
  if (!*found) return not_found("no row is parked as " + id);
  return **found;
}

Status Outbox::release(const std::string& id) {
  const auto record = parked_record(id);
  if (!record.ok()) return record.error();
  auto row = row_in(*record);
  if (!row) return conflict("the row cannot be read: it can only be discarded");
  row->tries = 0;
  row->due_at = clock_.now();
  Commit commit;
  commit.puts.push_back(put_of(*row));
  commit.drops.push_back({record.value().key, record.value().version});
  const auto done = session_.records()->commit(clock_.now(), commit);
  if (!done.ok()) return done.error();
  return Done{};
}

Status Outbox::discard(const std::string& id) {
  const auto record = parked_record(id);
  if (!record.ok()) return record.error();
  Commit commit;
  commit.drops.push_back({record.value().key, record.value().version});
  const auto done = session_.records()->commit(clock_.now(), commit);
  if (!done.ok()) return done.error();
  return Done{};
}

}  // namespace assay::engine
