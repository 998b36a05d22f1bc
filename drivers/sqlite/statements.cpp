#include "drivers/sqlite/statements.h"

namespace assay {

// Functions, not constants: a catalogue may be read before main.

// All of a job, in the order in which rows.cpp reads it. The one place where waiting jobs are told
// apart by time; `:hidden` shows a job that waits for its retry as ready.
static std::string shown() {
  return R"(CASE WHEN state <> 'waiting' THEN state
  WHEN run_at > :now AND NOT (retrying AND :hidden) THEN 'scheduled' ELSE 'ready' END)";
}
static std::string columns() {
  return "row, id, queue, type, run_at, max_attempts, timeout_ms, key, priority, attempts, "
         "last_error, created_at, " +
         shown() +
         ", given_run_at, lease_losses, token, attempt, version, expires_at, worker, settle_kind, "
         "settle_token, settle_attempt, settle_state, settle_run_at, dead_reason, dead_error, "
         "dead_at, dead_listed, payload";
}

static std::string no_lease() {
  return "token = NULL, attempt = NULL, expires_at = NULL, worker = NULL";
}
static std::string no_settle() {
  return "settle_kind = NULL, settle_token = NULL, settle_attempt = NULL, settle_state = NULL, "
         "settle_run_at = NULL";
}
static std::string settled() {
  return no_lease() +
         ", settle_kind = :kind, settle_token = :token, settle_attempt = :attempt, "
         "settle_state = :settle_state, settle_run_at = :settle_run_at";
}
static std::string buried() {
  return "state = 'dead', dead_reason = :reason, dead_error = :error, dead_at = :now, "
         "dead_listed = 1, last_error = :error, attempts = :attempts";
}

// A lease is dead when it expires at :dead_by or before.
static std::string held() {
  return R"( WHERE ns = :ns AND id = :id AND state = 'leased'
  AND expires_at > :dead_by AND (:unfenced OR (token = :token AND attempt IS :attempt)))";
}

static std::string candidate() { return "SELECT row, rank, due_at, seq FROM jobs "; }
static std::string holder() {
  return "SELECT id FROM jobs WHERE ns = :ns AND key = :key "
         "AND (NOT :active OR state IN ('waiting', 'leased')) ";
}

static void add_enqueue(SqliteStatements& s) {
  s.insert = R"(INSERT INTO jobs (ns, seq, id, queue, type, state, created_at, given_run_at, run_at,
  due_at, rank, priority, max_attempts, timeout_ms, key, attempts, payload)
 VALUES (:ns, :seq, :id, :queue, :type, 'waiting', :now, :given_run_at, :run_at,
  max(:run_at, :now), :rank, :priority, :max_attempts, :timeout_ms, :key, :attempts, :payload))";
  s.find = "SELECT " + columns() + " FROM jobs WHERE ns = :ns AND id = :id";
  s.key_in_queue = holder() + "AND queue = :queue ORDER BY seq DESC LIMIT 1";
  s.key_in_type = holder() + "AND type = :type ORDER BY seq DESC LIMIT 1";
  s.key_anywhere = holder() + "ORDER BY seq DESC LIMIT 1";
}

static void add_claim(SqliteStatements& s) {
  s.next_rank =
      "SELECT max(rank) FROM jobs WHERE ns = :ns AND queue = :queue AND state = 'waiting' "
      "AND rank <= :at_most";
  s.due = candidate() + R"(WHERE ns = :ns AND queue = :queue AND state = 'waiting' AND rank = :rank
  AND due_at <= :now ORDER BY due_at, seq LIMIT :max)";
  s.backdated = candidate() + R"(WHERE ns = :ns AND queue = :queue AND state = 'waiting'
  AND run_at < due_at AND due_at > :now AND run_at <= :now
  ORDER BY rank DESC, due_at, seq LIMIT :max)";
  s.expired = R"(SELECT row, rank, max(due_at, expires_at), seq FROM jobs
 WHERE ns = :ns AND queue = :queue AND state = 'leased' AND expires_at <= :dead_by
 ORDER BY rank DESC, 3, seq LIMIT :max)";
  s.by_id = candidate() + R"(WHERE ns = :ns AND id = :id AND queue = :queue AND
  ((state = 'waiting' AND run_at <= :now) OR (state = 'leased' AND expires_at <= :dead_by)))";
  s.claim =
      "UPDATE jobs SET state = 'leased', token = :token, version = version + 1, "
      "run_at = CASE state WHEN 'leased' THEN expires_at ELSE run_at END, "
      "due_at = CASE state WHEN 'leased' THEN max(created_at, expires_at) ELSE due_at END, "
      "expires_at = :expires_at, worker = :worker, retrying = 0, "
      "attempts = attempts + :starts, "
      "attempt = CASE :numbering WHEN 'attempts' THEN attempts WHEN 'claims' THEN version + 1 "
      "END, " +
      no_settle() + " WHERE row = :row RETURNING " + columns();
  s.lapsed = R"(SELECT row, attempts, max_attempts, lease_losses, expires_at FROM jobs
 WHERE ns = :ns AND queue = :queue AND state = 'leased' AND expires_at <= :dead_by
  AND (:id IS NULL OR id = :id) ORDER BY seq)";
  s.expire_wait =
      "UPDATE jobs SET state = 'waiting', run_at = :run_at, "
      "due_at = max(created_at, :run_at), attempts = :attempts, "
      "lease_losses = :lease_losses, retrying = :retrying, "
      "last_error = coalesce(:error, last_error), " +
      no_lease() + " WHERE row = :row";
  s.expire_bury = "UPDATE jobs SET " + buried() + ", lease_losses = :lease_losses, " + no_lease() +
                  " WHERE row = :row";
}

static void add_settles(SqliteStatements& s) {
  s.extend = "UPDATE jobs SET expires_at = max(expires_at, :expires_at)" + held() +
             " RETURNING expires_at";
  s.ack = "UPDATE jobs SET state = 'done', " + settled() + held();
  s.retry =
      "UPDATE jobs SET state = 'waiting', run_at = :run_at, "
      "due_at = max(created_at, :run_at), attempts = :attempts, last_error = :error, "
      "retrying = 1, " +
      settled() + held();
  s.fail = "UPDATE jobs SET " + buried() + ", " + settled() + held();
}

static void add_admin(SqliteStatements& s) {
  s.cancel = "UPDATE jobs SET state = 'cancelled', " + no_lease() +
             " WHERE ns = :ns AND id = :id AND state IN ('waiting', 'leased')";
  s.requeue =
      "UPDATE jobs SET state = 'waiting', run_at = :run_at, "
      "due_at = max(created_at, :run_at), attempts = coalesce(:attempts, attempts), "
      "lease_losses = CASE WHEN :attempts IS NULL THEN lease_losses ELSE 0 END, "
      "retrying = 0, dead_reason = NULL, dead_error = NULL, dead_at = NULL, "
      "dead_listed = 0, " +
      no_settle() + " WHERE ns = :ns AND id = :id AND state = 'dead'";
  s.drop_record = "UPDATE jobs SET dead_listed = 0, " + no_settle() +
                  " WHERE ns = :ns AND id = :id AND state = 'dead' AND dead_listed = 1";
  s.list = "SELECT " + columns() + " FROM jobs WHERE ns = :ns AND queue = :queue " +
           "AND (created_at, id) > (:after_at, :after_id) " +
           "AND (:state IS NULL OR :state = " + shown() + ") " +
           "ORDER BY created_at, id LIMIT :limit";
  s.dead = "SELECT " + columns() + " FROM jobs WHERE ns = :ns AND queue = :queue " +
           "AND state = 'dead' AND dead_listed = 1 " +
           "AND (dead_at, id) > (:after_at, :after_id) " + "ORDER BY dead_at, id LIMIT :limit";
}

static void add_records(SqliteStatements& s) {
  s.put =
      "INSERT INTO records (ns, key, version, value) VALUES (:ns, :key, 1, :value) "
      "ON CONFLICT DO UPDATE SET version = version + 1, value = :value WHERE remaining IS NULL "
      "RETURNING version";
  s.put_new =
      "INSERT INTO records (ns, key, version, value) VALUES (:ns, :key, 1, :value) "
      "ON CONFLICT DO NOTHING RETURNING version";
  s.put_version =
      "UPDATE records SET version = version + 1, value = :value WHERE ns = :ns AND key = :key "
      "AND version = :version AND remaining IS NULL RETURNING version";
  s.drop = "DELETE FROM records WHERE ns = :ns AND key = :key";
  s.drop_marks = "DELETE FROM marks WHERE ns = :ns AND key = :key";
  s.begin_countdown =
      "INSERT INTO records (ns, key, version, remaining) VALUES (:ns, :key, 0, :from) "
      "ON CONFLICT DO NOTHING";
  s.mark = "INSERT OR IGNORE INTO marks (ns, key, mark) VALUES (:ns, :key, :mark)";
  s.count =
      "UPDATE records SET version = version + 1, remaining = remaining - 1 "
      "WHERE ns = :ns AND key = :key AND remaining > 0 RETURNING remaining";
  s.has_waiting =
      "SELECT 1 FROM jobs WHERE ns = :ns AND queue = :queue AND state = 'waiting' LIMIT 1";
  s.record = "SELECT key, version, remaining, value FROM records WHERE ns = :ns AND key = :key";
  s.scan =
      "SELECT key, version, remaining, value FROM records WHERE ns = :ns AND key >= :from "
      "AND (:after IS NULL OR key > :after) ORDER BY key LIMIT :limit";
  s.drop_records = "DELETE FROM records WHERE ns = :ns";
  s.drop_all_marks = "DELETE FROM marks WHERE ns = :ns";
}

SqliteStatements sqlite_statements() {
  SqliteStatements s;
  s.find_namespace = "SELECT ns FROM namespaces WHERE name = :name";
  s.make_namespace = "INSERT INTO namespaces (name) VALUES (:name) RETURNING ns";
  s.drop_namespace = "DELETE FROM namespaces WHERE ns = :ns";
  s.drop_jobs = "DELETE FROM jobs WHERE ns = :ns";
  s.drop_paused = "DELETE FROM paused WHERE ns = :ns";
  s.offset = "SELECT offset_ms FROM namespaces WHERE ns = :ns";
  s.advance =
      "UPDATE namespaces SET offset_ms = offset_ms + :by WHERE ns = :ns RETURNING offset_ms";
  s.next_sequence =
      "UPDATE namespaces SET sequence = sequence + 1 WHERE ns = :ns RETURNING sequence";
  s.is_paused = "SELECT 1 FROM paused WHERE ns = :ns AND queue = :queue";
  s.pause = "INSERT OR IGNORE INTO paused (ns, queue) VALUES (:ns, :queue)";
  s.resume = "DELETE FROM paused WHERE ns = :ns AND queue = :queue";
  add_enqueue(s);
  add_claim(s);
  add_settles(s);
  add_admin(s);
  add_records(s);
  return s;
}

}  // namespace assay
