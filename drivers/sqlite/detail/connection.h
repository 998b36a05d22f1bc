// Connection: one SQLite handle with its prepared statements, and the two things done on it: Query
// (one statement, run once) and Transaction.
//
// Used by one thread at a time: whoever uses it holds `mutex()`. Trouble is thrown as a Failure;
// to_error turns it into an Error before it leaves the driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/contract/gates.h"
#include "harness/contract/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace assay::lite {

// What SQLite answered, and whether a commit was under way.
struct Failure {
  int code = 0;  // extended
  std::string message = {};
  bool at_commit = false;
};

// The one place where SQLite's codes become ours. Whatever it does not know is indefinite.
Error to_error(const Failure& failure, const std::string& where);

class Connection {
 public:
  // `flags` are SQLITE_OPEN_...; `name` a URI or a path. The gates are borrowed for life; null:
  // none. Throws.
  // Where it has many users they meet at its lock, which is a gate then.
  enum class Users { one, many };
  Connection(const std::string& name, int flags, Gates* gates = nullptr, Users users = Users::one);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  GateMutex& mutex() { return mutex_; }
  sqlite3* handle() { return db_; }

  // How long a statement waits for a lock that another connection has.
  void set_busy_timeout(int ms);

  // Prepared at its first use and kept.
  struct Prepared {
    sqlite3_stmt* ahead = nullptr;  // the first of two
    sqlite3_stmt* statement = nullptr;
  };
  const Prepared& prepared(const std::string& sql);

  // Runs statements that answer nothing of interest.
  void run(const std::string& sql);

  // The first column of the first row, if there is one.
  std::optional<std::int64_t> number(const std::string& sql);
  std::optional<std::string> word(const std::string& sql);

  // Before a statement begins. Who finds the store locked then waits at a gate, too.
  void pass(const char* where);

  // Ends the transaction and the caller's turn, and begins both again.
  void let_others_in();

  bool in_transaction() const;
  bool read_only() const;

  [[noreturn]] void fail(bool at_commit = false) const;

 private:
  static int wait_at_gate(void* gates, int tried);

  sqlite3* db_ = nullptr;
  Gates* const gates_;
  bool waits_at_gate_ = false;
  int busy_timeout_ms_ = 0;
  std::unordered_map<std::string, Prepared> statements_;
  GateMutex mutex_;
};

// One run of a statement. Parameters have names; one that the statement does not mention is
// ignored, so that a variant of a statement may do without. Bytes are borrowed until the query
// ends.
//
// A variant may be two statements, which look and write apart: the second one knows what the first
// one answered as :seen, and others may come in between.
class Query {
 public:
  Query(Connection& connection, const std::string& sql);
  Query(Connection& connection, const std::string& sql, std::int64_t ns);  // with :ns
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& with(const char* name, std::int64_t value);
  Query& with(const char* name, const std::optional<std::int64_t>& value);
  Query& with(const char* name, const std::string& bytes);
  Query& with(const char* name, const std::optional<std::string>& bytes);
  Query& with_text(const char* name, std::optional<std::string_view> text);

  // Goes to the next row; false when there is none.
  bool next();

  // Runs it to its end; the number of rows that it changed.
  std::int64_t execute();

  bool is_null(int column) const;
  std::int64_t number(int column) const;
  std::optional<std::int64_t> maybe_number(int column) const;
  std::string bytes(int column) const;
  std::optional<std::string> maybe_bytes(int column) const;

 private:
  template <class Bind>
  Query& bind(const char* name, Bind bind);
  void look_ahead();

  Connection& connection_;
  sqlite3_stmt* ahead_;
  sqlite3_stmt* statement_;
  bool begun_ = false;
};

// Rolls back unless committed.
class Transaction {
 public:
  enum class Kind { read, write };  // `write` takes the store's one write lock at once

  Transaction(Connection& connection, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Connection& connection_;
};

}  // namespace assay::lite
