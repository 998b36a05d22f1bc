#include "drivers/postgres/detail/sql.h"

namespace assay::pg {

std::string brief(const std::string& bytes) {
  return "CASE WHEN length(" + bytes + ") <= 64 THEN " + bytes + " ELSE sha512(" + bytes +
         ") || '\\x00'::bytea END";
}

std::string beyond_brief(const std::string& bytes) {
  return "CASE WHEN length(" + bytes + ") > 64 THEN " + bytes + " END";
}

static std::string now_by(const std::string& caller, const std::string& clock) {
  return "coalesce(" + caller + ", coalesce(" + clock +
         ", floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) + offset_ms)";
}

std::string text_of(const Function& f) {
  return "CREATE FUNCTION " + f.name + "(era_ bigint, caller_ bigint, clock_ bigint" +
         f.parameters + ")\nRETURNS TABLE (verdict text, now_ms bigint, j jobs) " +
         "LANGUAGE plpgsql AS $f$\n#variable_conflict use_column\nDECLARE\n" + f.variables +
         "\nBEGIN\n  SELECT " + now_by("caller_", "clock_") + f.asked + " INTO now_ms" + f.into +
         R"sql( FROM meta WHERE era = era_;
  IF NOT FOUND THEN RAISE EXCEPTION 'the namespace is gone' USING ERRCODE = '3F000'; END IF;
)sql" + f.body +
         "\nEND $f$;\n";
}

std::string present(Now now) {
  if (now == Now::by_caller) return "(SELECT $2::bigint AS now_ms, $3::bigint AS clock_)";
  return "(SELECT " + now_by("$2::bigint", "$3::bigint") +
         " AS now_ms FROM meta WHERE era = $1::bigint)";
}

std::string is_there() { return "$1::bigint = " + era(); }

std::string era() { return "'seqs'::regclass::oid::bigint"; }

std::string pauses() { return "'seqs'::regclass::oid::integer, 1"; }

std::string given(const std::vector<std::string>& names_and_types) {
  std::string columns;
  int number = 3;
  for (const std::string& both : names_and_types) {
    const auto blank = both.find(' ');
    columns += (columns.empty() ? "$" : ", $") + std::to_string(++number) +
               "::" + both.substr(blank + 1) + " AS " + both.substr(0, blank);
  }
  return "(SELECT " + columns + ")";
}

std::string plus(const std::string& at, const std::string& length) {
  return "least(9223372036854775807::numeric, " + at + "::numeric + " + length + ")::bigint";
}

std::string no_lease() { return "token = NULL, attempt = NULL, expires_at = NULL, worker = NULL"; }

std::string no_settle() {
  return "settle_kind = NULL, settle_token = NULL, settle_attempt = NULL, settle_state = NULL, "
         "settle_run_at = NULL";
}

static std::string watch_waiting(const std::string& run_at) {
  return "CASE WHEN created_at > " + run_at + " THEN 'b'::\"char\" END";
}

std::string waiting(const std::string& run_at) {
  return "state = 'w', run_at = " + run_at + ", due = greatest(created_at, " + run_at +
         "), watch = " + watch_waiting(run_at);
}

static std::string key_given_back() {
  return "key_slot = CASE WHEN release_ THEN NULL ELSE key_slot END";
}

std::string ended(const std::string& state) {
  return "state = '" + state + "', watch = NULL, " + key_given_back();
}

std::string buried(const std::string& reason, const std::string& error) {
  return "state = 'x', watch = 'd', due = now_ms, " + key_given_back() +
         ", dead_reason = " + reason + ", dead_error = " + error +
         ", dead_at = now_ms, last_error = " + error;
}

std::string leased_until(const std::string& until) {
  return "expires_at = " + until + ", due = greatest(created_at, " + until +
         "), watch = CASE WHEN created_at > " + until + " THEN 'c'::\"char\" ELSE 'l' END";
}

std::string dead_by() { return "(now_ms - CASE WHEN edge_ THEN 0 ELSE 1 END)"; }

std::string runs_allowed(const std::string& limit) {
  const std::string stated = "(CASE WHEN " + limit + " > 0 THEN " + limit + " ELSE default_ END)";
  return "(CASE WHEN retries_ THEN least(" + stated + ", 9223372036854775806) + 1 ELSE greatest(" +
         stated + ", 1) END)";
}

std::string backoff(const std::string& failure, const std::string& job) {
  const std::string window = "least(greatest(cap_, 0)::numeric, greatest(window_, 0)::numeric * " +
                             std::string("power(2::numeric, least(greatest(") + failure +
                             " - 1, 0), 62)))::bigint";
  return "(abs(hashint8extended(" + job + ", draw_) / 2) % (" + window + " + 1))";
}

std::string slot(const std::string& queue, const std::string& type, const std::string& key) {
  return "sha256(CASE scope_ WHEN 'queue' THEN int4send(length(" + queue + ")) || " + queue +
         " || " + key + " WHEN 'type' THEN int4send(length(" + type + ")) || " + type + " || " +
         key + " ELSE " + key + " END)";
}

std::string new_columns() {
  return "seq, id, long_id, queue, long_queue, type, state, created_at, given_run_at, run_at, due, "
         "watch, rank, priority, max_attempts, timeout_ms, key, key_slot, attempts, payload";
}

std::string made_id() { return "convert_to('job-' || seq_ || '-' || hex_, 'UTF8')"; }

}  // namespace assay::pg
