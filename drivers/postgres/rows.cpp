#include "drivers/postgres/detail/rows.h"

#include "harness/contract/check.h"

namespace assay::pg {

// The columns of an answer: two of its own, then those of the table, in its order.
enum Column {
  verdict,
  now_ms,
  seq,
  id,
  long_id,
  queue,
  long_queue,
  type,
  state,
  created_at,
  given_run_at,
  run_at,
  due,
  watch,
  rank_,
  priority,
  max_attempts,
  timeout_ms,
  key,
  key_slot,
  attempts,
  lease_losses,
  retrying,
  last_error,
  token,
  attempt,
  version,
  expires_at,
  worker,
  settle_kind,
  settle_token,
  settle_attempt,
  settle_state,
  settle_run_at,
  dead_reason,
  dead_error,
  dead_at,
  payload,
};

static std::int64_t number(const pqxx::row& row, Column column) {
  return row[static_cast<int>(column)].as<std::int64_t>();
}

static std::optional<std::int64_t> maybe_number(const pqxx::row& row, Column column) {
  if (row[static_cast<int>(column)].is_null()) return std::nullopt;
  return number(row, column);
}

static std::string text(const pqxx::row& row, Column column) {
  return row[static_cast<int>(column)].c_str();
}

static std::string bytes(const pqxx::row& row, Column column) {
  return from_hex(row[static_cast<int>(column)]);
}

static std::optional<std::string> maybe_bytes(const pqxx::row& row, Column column) {
  if (row[static_cast<int>(column)].is_null()) return std::nullopt;
  return bytes(row, column);
}

// A name, in full where that is kept beside it.
static std::string long_or_not(const pqxx::row& row, Column in_full, Column usual) {
  return bytes(row, row[static_cast<int>(in_full)].is_null() ? usual : in_full);
}

std::string verdict_of(const pqxx::row& answer) { return text(answer, verdict); }
std::int64_t now_of(const pqxx::row& answer) { return number(answer, now_ms); }
bool has_job(const pqxx::row& answer) { return !answer[static_cast<int>(id)].is_null(); }
std::string id_of(const pqxx::row& answer) { return long_or_not(answer, long_id, id); }
std::int64_t expiry_of(const pqxx::row& answer) { return number(answer, expires_at); }

PartAnswer part_of(const pqxx::row& answer) {
  return {maybe_number(answer, seq).value_or(0), maybe_number(answer, rank_).value_or(0),
          maybe_number(answer, priority) == 1};
}

// The one place where waiting jobs are told apart by time.
static JobState shown_state(const pqxx::row& row, bool hidden) {
  switch (text(row, state)[0]) {
    case 'l':
      return JobState::leased;
    case 'd':
      return JobState::done;
    case 'x':
      return JobState::dead;
    case 'c':
      return JobState::cancelled;
    default:
      break;
  }
  const bool waits_for_retry = text(row, retrying) == "t";
  const bool later = number(row, run_at) > number(row, now_ms);
  return later && !(waits_for_retry && hidden) ? JobState::scheduled : JobState::ready;
}

static Job read_job(const pqxx::row& row, bool hidden) {
  Job job;
  job.id = long_or_not(row, long_id, id);
  job.queue = long_or_not(row, long_queue, queue);
  job.type = bytes(row, type);
  job.payload = bytes(row, payload);
  job.run_at = instant_from_ms(number(row, run_at));
  job.max_attempts = maybe_number(row, max_attempts);
  if (const auto timeout = maybe_number(row, timeout_ms)) job.timeout = Duration{*timeout};
  job.key = maybe_bytes(row, key);
  job.priority = number(row, priority);
  job.attempts = number(row, attempts);
  job.last_error = maybe_bytes(row, last_error);
  job.created_at = instant_from_ms(number(row, created_at));
  job.state = shown_state(row, hidden);
  return job;
}

Row read_row(const pqxx::row& answer, bool hidden) {
  Row row;
  row.seq = number(answer, seq);
  row.rank = number(answer, rank_);
  row.job = read_job(answer, hidden);
  row.given_run_at_ms = maybe_number(answer, given_run_at);
  row.token = maybe_bytes(answer, token);
  row.attempt = maybe_number(answer, attempt);
  row.expires_at_ms = maybe_number(answer, expires_at);
  row.worker = maybe_bytes(answer, worker);
  row.version = number(answer, version);
  if (maybe_bytes(answer, settle_token))
    row.last_settle = LastSettle{text(answer, settle_kind), bytes(answer, settle_token),
                                 maybe_number(answer, settle_attempt), text(answer, settle_state),
                                 maybe_number(answer, settle_run_at)};
  if (row.job.state == JobState::dead)
    row.dead = DeadView{bytes(answer, dead_reason), maybe_bytes(answer, dead_error),
                        instant_from_ms(number(answer, dead_at))};
  return row;
}

Row read_quick_claim(const pqxx::row& answer, const std::string& queue) {
  const auto number = [&](int column) { return answer[column].as<std::int64_t>(); };
  const auto maybe_number = [&](int column) {
    return answer[column].is_null() ? std::nullopt : std::optional(number(column));
  };
  const auto maybe_bytes = [&](int column) {
    return answer[column].is_null() ? std::nullopt : std::optional(from_hex(answer[column]));
  };
  Row row;
  int column = 0;
  row.seq = number(column++);
  row.rank = number(column++);
  row.job.id = from_hex(answer[column++]);
  if (auto long_id = maybe_bytes(column++)) row.job.id = *std::move(long_id);
  row.job.queue = queue;
  row.job.type = from_hex(answer[column++]);
  row.job.run_at = instant_from_ms(number(column++));
  row.job.max_attempts = maybe_number(column++);
  if (const auto timeout = maybe_number(column++)) row.job.timeout = Duration{*timeout};
  row.job.key = maybe_bytes(column++);
  row.job.priority = number(column++);
  row.job.attempts = number(column++);
  row.job.last_error = maybe_bytes(column++);
  row.job.created_at = instant_from_ms(number(column++));
  row.job.state = JobState::leased;
  row.token = maybe_bytes(column++);
  row.attempt = maybe_number(column++);
  row.expires_at_ms = maybe_number(column++);
  row.version = number(column++);
  row.job.payload = from_hex(answer[column++]);
  return row;
}

}  // namespace assay::pg
