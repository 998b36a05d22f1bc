#include "drivers/sqlite/detail/connection.h"

#include <sqlite3.h>

#include <utility>

#include "harness/contract/check.h"

namespace assay::lite {

Error to_error(const Failure& failure, const std::string& where) {
  const std::string told = where + ": " + failure.message;
  // Before the commit everything is rolled back; during it nobody knows.
  const bool nothing_done = !failure.at_commit;
  switch (failure.code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable,
              told +
                  "; another process holds the write lock for too long: try again, or raise "
                  "busy_timeout_ms in the url",
              LeaseReason::unstated, nothing_done};
    case SQLITE_FULL:
      return {ErrorCode::unavailable,
              told + "; free some space on its disk (or raise max_pages in the url) and try again",
              LeaseReason::unstated, nothing_done};
    case SQLITE_READONLY:
      return {ErrorCode::unavailable,
              told + "; it must be writable, and so must its folder: check their permissions",
              LeaseReason::unstated, nothing_done};
    case SQLITE_CANTOPEN:
      return {ErrorCode::unavailable,
              told + "; check that the folder exists and that both may be written",
              LeaseReason::unstated, nothing_done};
    case SQLITE_NOTADB:
      return {ErrorCode::invalid, told + "; name another file in the url"};
    case SQLITE_TOOBIG:
      return {ErrorCode::invalid, told + "; SQLite keeps no value of this size"};
    case SQLITE_IOERR:
      return {ErrorCode::unavailable, told + "; its disk does not work as it should"};
    default:
      return {ErrorCode::internal, told};
  }
}

Connection::Connection(const std::string& name, int flags, Gates* gates, Users users)
    : gates_(gates), mutex_(users == Users::many ? gates : nullptr, "the store's lock") {
  const int code = sqlite3_open_v2(name.c_str(), &db_, flags, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_extended_result_codes(db_, 1);
    return;
  }
  const Failure failure{code, db_ ? sqlite3_errmsg(db_) : sqlite3_errstr(code)};
  sqlite3_close(db_);
  throw failure;
}

Connection::~Connection() {
  for (const auto& [sql, prepared] : statements_) {
    sqlite3_finalize(prepared.ahead);
    sqlite3_finalize(prepared.statement);
  }
  sqlite3_close(db_);
}

int Connection::wait_at_gate(void* gates, int) {
  return static_cast<Gates*>(gates)->wait("the store's write lock", nullptr) ? 1 : 0;
}

void Connection::pass(const char* where) {
  const bool on = gates_ && gates_->on();
  if (on != waits_at_gate_) {
    waits_at_gate_ = on;
    if (on)
      sqlite3_busy_handler(db_, &Connection::wait_at_gate, gates_);
    else
      sqlite3_busy_timeout(db_, busy_timeout_ms_);
  }
  if (on) gates_->pass(where);
}

void Connection::fail(bool at_commit) const {
  throw Failure{sqlite3_extended_errcode(db_), sqlite3_errmsg(db_), at_commit};
}

void Connection::set_busy_timeout(int ms) {
  busy_timeout_ms_ = ms;
  sqlite3_busy_timeout(db_, ms);
}

const Connection::Prepared& Connection::prepared(const std::string& sql) {
  Prepared& prepared = statements_[sql];
  if (prepared.statement) return prepared;
  const char* rest = sql.c_str();
  const auto prepare = [&](sqlite3_stmt*& statement) {
    if (sqlite3_prepare_v3(db_, rest, -1, SQLITE_PREPARE_PERSISTENT, &statement, &rest) !=
        SQLITE_OK)
      fail();
  };
  prepare(prepared.statement);
  if (*rest == '\0') return prepared;
  prepared.ahead = std::exchange(prepared.statement, nullptr);
  prepare(prepared.statement);
  return prepared;
}

void Connection::run(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::optional<std::int64_t> Connection::number(const std::string& sql) {
  Query query(*this, sql);
  if (!query.next()) return std::nullopt;
  return query.maybe_number(0);
}

std::optional<std::string> Connection::word(const std::string& sql) {
  Query query(*this, sql);
  if (!query.next()) return std::nullopt;
  return query.maybe_bytes(0);
}

void Connection::let_others_in() {
  CHECK(in_transaction());
  pass("a commit");
  run("COMMIT");
  mutex_.unlock();
  mutex_.lock();
  pass("a statement");
  run("BEGIN IMMEDIATE");
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }
bool Connection::read_only() const { return sqlite3_db_readonly(db_, "main") == 1; }

Query::Query(Connection& connection, const std::string& sql) : connection_(connection) {
  const auto& prepared = connection.prepared(sql);
  ahead_ = prepared.ahead;
  statement_ = prepared.statement;
}

Query::Query(Connection& connection, const std::string& sql, std::int64_t ns)
    : Query(connection, sql) {
  with(":ns", ns);
}

static void put_back(sqlite3_stmt* statement) {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

Query::~Query() {
  put_back(statement_);
  if (ahead_) put_back(ahead_);
}

template <class Bind>
Query& Query::bind(const char* name, Bind bind) {
  for (sqlite3_stmt* statement : {ahead_, statement_}) {
    const int at = statement ? sqlite3_bind_parameter_index(statement, name) : 0;
    if (at && bind(statement, at) != SQLITE_OK) connection_.fail();
  }
  return *this;
}

Query& Query::with(const char* name, std::int64_t value) {
  return bind(name, [&](sqlite3_stmt* to, int at) { return sqlite3_bind_int64(to, at, value); });
}

Query& Query::with(const char* name, const std::optional<std::int64_t>& value) {
  return value ? with(name, *value) : *this;
}

Query& Query::with(const char* name, const std::string& bytes) {
  return bind(name, [&](sqlite3_stmt* to, int at) {
    return sqlite3_bind_blob64(to, at, bytes.data(), bytes.size(), SQLITE_STATIC);
  });
}

Query& Query::with(const char* name, const std::optional<std::string>& bytes) {
  return bytes ? with(name, *bytes) : *this;
}

Query& Query::with_text(const char* name, std::optional<std::string_view> text) {
  if (!text) return *this;
  return bind(name, [&](sqlite3_stmt* to, int at) {
    return sqlite3_bind_text64(to, at, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  });
}

void Query::look_ahead() {
  connection_.pass("a statement");
  const int code = sqlite3_step(ahead_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) connection_.fail();
  const int at = sqlite3_bind_parameter_index(statement_, ":seen");
  if (at && code == SQLITE_ROW &&
      sqlite3_bind_value(statement_, at, sqlite3_column_value(ahead_, 0)) != SQLITE_OK)
    connection_.fail();
  sqlite3_reset(ahead_);
  connection_.let_others_in();
}

bool Query::next() {
  if (!std::exchange(begun_, true)) {
    if (ahead_) look_ahead();
    connection_.pass("a statement");
  }
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_.fail();
  return false;
}

std::int64_t Query::execute() {
  while (next()) {
  }
  return sqlite3_changes64(connection_.handle());
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Query::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::optional<std::int64_t> Query::maybe_number(int column) const {
  if (is_null(column)) return std::nullopt;
  return number(column);
}

std::string Query::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return data ? std::string(static_cast<const char*>(data), static_cast<std::size_t>(size))
              : std::string();
}

std::optional<std::string> Query::maybe_bytes(int column) const {
  if (is_null(column)) return std::nullopt;
  return bytes(column);
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  static const std::string begin_read = "BEGIN";
  static const std::string begin_write = "BEGIN IMMEDIATE";
  // The busy timeout waits inside each try. A second and a third one are for the refusals that
  // SQLite gives without waiting, as when another process recovers a log or closes last.
  constexpr int tries = 3;
  for (int tried = 1;; ++tried) try {
      Query(connection_, kind == Kind::write ? begin_write : begin_read).execute();
      return;
    } catch (const Failure& failure) {
      if ((failure.code & 0xff) != SQLITE_BUSY || tried == tries) throw;
    }
}

Transaction::~Transaction() {
  // Some failures have rolled back already.
  if (connection_.in_transaction())
    sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  static const std::string commit = "COMMIT";
  connection_.pass("a commit");
  if (sqlite3_stmt* statement = connection_.prepared(commit).statement;
      sqlite3_step(statement) != SQLITE_DONE) {
    const Failure failure{sqlite3_extended_errcode(connection_.handle()),
                          sqlite3_errmsg(connection_.handle()), true};
    sqlite3_reset(statement);
    throw failure;
  } else {
    sqlite3_reset(statement);
  }
}

}  // namespace assay::lite
