#include "drivers/sqlite/detail/connection.h"

#include <sqlite3.h>

#include <utility>

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

// A store in memory has one connection for all, and clients meet at its lock.
Connection::Connection(const std::string& name, int flags, Gates* gates)
    : gates_(gates), mutex_(name == ":memory:" ? gates : nullptr, "the store's lock") {
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
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
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

sqlite3_stmt* Connection::prepared(const std::string& sql) {
  sqlite3_stmt*& statement = statements_[sql];
  if (!statement && sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                       SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
    fail();
  return statement;
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

bool Connection::in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }
bool Connection::read_only() const { return sqlite3_db_readonly(db_, "main") == 1; }

Query::Query(Connection& connection, const std::string& sql)
    : connection_(connection), statement_(connection.prepared(sql)) {}

Query::Query(Connection& connection, const std::string& sql, std::int64_t ns)
    : Query(connection, sql) {
  with(":ns", ns);
}

Query::~Query() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

int Query::index(const char* name) const { return sqlite3_bind_parameter_index(statement_, name); }

Query& Query::with(const char* name, std::int64_t value) {
  const int at = index(name);
  if (at && sqlite3_bind_int64(statement_, at, value) != SQLITE_OK) connection_.fail();
  return *this;
}

Query& Query::with(const char* name, const std::optional<std::int64_t>& value) {
  return value ? with(name, *value) : *this;
}

Query& Query::with(const char* name, const std::string& bytes) {
  const int at = index(name);
  if (at &&
      sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(), SQLITE_STATIC) != SQLITE_OK)
    connection_.fail();
  return *this;
}

Query& Query::with(const char* name, const std::optional<std::string>& bytes) {
  return bytes ? with(name, *bytes) : *this;
}

Query& Query::with_text(const char* name, std::optional<std::string_view> text) {
  const int at = index(name);
  if (at && text &&
      sqlite3_bind_text64(statement_, at, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8) !=
          SQLITE_OK)
    connection_.fail();
  return *this;
}

bool Query::next() {
  if (!std::exchange(begun_, true)) connection_.pass("a statement");
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
  if (sqlite3_stmt* statement = connection_.prepared(commit);
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
