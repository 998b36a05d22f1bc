#include "drivers/sqlite/detail/rows.h"

namespace assay::lite {

static std::optional<Instant> maybe_instant(const Query& query, int column) {
  const auto ms = query.maybe_number(column);
  if (!ms) return std::nullopt;
  return instant_from_ms(*ms);
}

static Job read_job(const Query& query) {
  Job job;
  job.id = query.bytes(1);
  job.queue = query.bytes(2);
  job.type = query.bytes(3);
  job.run_at = maybe_instant(query, 4);
  job.max_attempts = query.maybe_number(5);
  if (const auto timeout = query.maybe_number(6)) job.timeout = Duration{*timeout};
  job.key = query.maybe_bytes(7);
  job.priority = query.number(8);
  job.attempts = query.number(9);
  job.last_error = query.maybe_bytes(10);
  job.created_at = instant_from_ms(query.number(11));
  const auto state = job_state_from(query.bytes(12));
  CHECK(state.has_value());
  job.state = *state;
  job.payload = query.bytes(29);
  return job;
}

Row read_row(const Query& query) {
  Row row;
  row.row = query.number(0);
  row.job = read_job(query);
  row.given_run_at_ms = query.maybe_number(13);
  row.lease_losses = query.number(14);
  row.token = query.maybe_bytes(15);
  row.attempt = query.maybe_number(16);
  row.version = query.number(17);
  row.expires_at_ms = query.maybe_number(18);
  row.worker = query.maybe_bytes(19);
  if (!query.is_null(20))
    row.last_settle = LastSettle{query.bytes(20), query.bytes(21), query.maybe_number(22),
                                 query.bytes(23), query.maybe_number(24)};
  if (row.job.state == JobState::dead)
    row.dead = DeadView{query.bytes(25), query.maybe_bytes(26), instant_from_ms(query.number(27))};
  row.dead_listed = query.number(28) != 0;
  return row;
}

}  // namespace assay::lite
