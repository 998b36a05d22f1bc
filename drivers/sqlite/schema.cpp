#include "drivers/sqlite/detail/schema.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace assay::lite {

// Names and payloads are any bytes, so they are blobs. `state` is waiting, leased, done, dead or
// cancelled: scheduled and ready are told apart by time alone. `rank` is the priority where it has
// an effect; `due_at` the later of run_at and created_at, the order of claims. Each partial index
// holds just the jobs that one kind of claim looks at, so that done ones cost nothing.
static const char* const tables = R"sql(
CREATE TABLE namespaces (
  ns INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  offset_ms INTEGER NOT NULL DEFAULT 0,
  sequence INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE paused (
  ns INTEGER NOT NULL,
  queue BLOB NOT NULL,
  PRIMARY KEY (ns, queue)
) STRICT, WITHOUT ROWID;
CREATE TABLE jobs (
  row INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  id BLOB NOT NULL,
  queue BLOB NOT NULL,
  type BLOB NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  given_run_at INTEGER,
  run_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  max_attempts INTEGER,
  timeout_ms INTEGER,
  key BLOB,
  attempts INTEGER NOT NULL,
  lease_losses INTEGER NOT NULL DEFAULT 0,
  retrying INTEGER NOT NULL DEFAULT 0,
  last_error BLOB,
  token BLOB,
  attempt INTEGER,
  version INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER,
  worker BLOB,
  settle_kind TEXT,
  settle_token BLOB,
  settle_attempt INTEGER,
  settle_state TEXT,
  settle_run_at INTEGER,
  dead_reason BLOB,
  dead_error BLOB,
  dead_at INTEGER,
  dead_listed INTEGER NOT NULL DEFAULT 0,
  payload BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_by_id ON jobs (ns, id);
CREATE INDEX jobs_by_key ON jobs (ns, key, state) WHERE key IS NOT NULL;
CREATE INDEX jobs_by_age ON jobs (ns, queue, created_at, id);
CREATE INDEX jobs_waiting ON jobs (ns, queue, rank, due_at, seq) WHERE state = 'waiting';
CREATE INDEX jobs_backdated ON jobs (ns, queue, due_at) WHERE state = 'waiting' AND run_at < due_at;
CREATE INDEX jobs_leased ON jobs (ns, queue, expires_at) WHERE state = 'leased';
CREATE INDEX jobs_dead ON jobs (ns, queue, dead_at, id) WHERE state = 'dead' AND dead_listed = 1;
)sql";

// What stores of the first version lack. A countdown has no value, and something left.
static const char* const record_tables = R"sql(
CREATE TABLE records (
  ns INTEGER NOT NULL,
  key BLOB NOT NULL,
  version INTEGER NOT NULL,
  remaining INTEGER,
  value BLOB,
  PRIMARY KEY (ns, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE marks (
  ns INTEGER NOT NULL,
  key BLOB NOT NULL,
  mark BLOB NOT NULL,
  PRIMARY KEY (ns, key, mark)
) STRICT, WITHOUT ROWID;
)sql";

static Error refusal(std::string message) {
  return {ErrorCode::invalid, std::move(message), LeaseReason::unstated, true};
}

static Error not_writable(const std::string& message) {
  return {ErrorCode::unavailable, message, LeaseReason::unstated, true};
}

// Whose file it is, by what its header says.
static Status check_owner(Connection& connection, const std::string& path) {
  const std::int64_t id = connection.number("PRAGMA application_id").value_or(0);
  const std::int64_t version = connection.number("PRAGMA user_version").value_or(0);
  if (id != application_id)
    return refusal(path +
                   " is a SQLite file of another application, not a store of Assay: it was "
                   "left as it is; name another file in the url");
  if (version > schema_version)
    return refusal(path + " has the schema version " + std::to_string(version) +
                   ", this program knows " + std::to_string(schema_version) +
                   ": use the newer program, or name another file in the url");
  if (version < 1)
    return refusal(path + " has the schema version " + std::to_string(version) +
                   ", which no program ever wrote: it is damaged; name another file in the url");
  return Done{};
}

static std::string uri_of(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (unsigned char byte : path) {
    static const char* const digits = "0123456789abcdef";
    if (byte == '%' || byte == '?' || byte == '#')
      uri += {'%', digits[byte >> 4], digits[byte & 15]};
    else
      uri += static_cast<char>(byte);
  }
  return uri;
}

// Looks at an existing file without a lock, a log or a change. Read through SQLite and not with a
// plain open: closing a plain descriptor would drop the locks that this process has on the file.
static Status check_untouched(const std::string& path) {
  Connection look(uri_of(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  try {
    return check_owner(look, path);
  } catch (const Failure& failure) {
    const int code = failure.code & 0xff;
    if (code != SQLITE_NOTADB && code != SQLITE_CORRUPT) throw;
    // A checkpoint that was cut off leaves a file that makes no sense without its log; with it, it
    // does.
    if (code == SQLITE_CORRUPT && std::filesystem::exists(path + "-wal")) return Done{};
    return refusal(path +
                   " is not a SQLite file: it was left as it is; name another file in the "
                   "url");
  }
}

static Status check_place(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const std::string parent = folder.empty() ? "." : folder;
  struct stat found {};
  if (::stat(parent.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
    return not_writable("the folder " + parent + " of the store " + path +
                        " does not exist: make it, or name another file in the url");
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode))
    return refusal(path + " is not a file: name a file in the url");
  if (exists && found.st_size > 0)
    if (Status ours = check_untouched(path); !ours.ok()) return ours;
  if (exists && ::access(path.c_str(), W_OK) != 0)
    return not_writable(path +
                        " is read-only: a queue must be written; make it writable, or name "
                        "another file in the url");
  if (::access(parent.c_str(), W_OK | X_OK) != 0)
    return not_writable("the folder " + parent + " of the store " + path +
                        " is read-only: SQLite keeps its log beside the file; make the folder "
                        "writable, or name another file in the url");
  return Done{};
}

static void configure(Connection& connection, const Location& location) {
  static const char* const levels[] = {"OFF", "NORMAL", "FULL"};
  connection.set_busy_timeout(static_cast<int>(location.busy_timeout_ms));
  connection.run(std::string("PRAGMA synchronous = ") +
                 levels[static_cast<int>(location.synchronous)]);
}

static bool is_blank(Connection& connection) {
  return connection.number("PRAGMA application_id").value_or(0) == 0 &&
         connection.number("SELECT count(*) FROM sqlite_schema").value_or(0) == 0;
}

// Two processes may come here at once: the one that waits finds the schema made.
static Status make_schema(Connection& connection, const Location& location) {
  if (!is_blank(connection)) return check_owner(connection, location.shown());
  Transaction transaction(connection, Transaction::Kind::write);
  if (!is_blank(connection)) return check_owner(connection, location.shown());
  connection.run(tables);
  connection.run(record_tables);
  connection.run("PRAGMA application_id = " + std::to_string(application_id));
  connection.run("PRAGMA user_version = " + std::to_string(schema_version));
  transaction.commit();
  return Done{};
}

// A store of an older program gets what it lacks.
static void bring_up_to_date(Connection& connection) {
  const auto is_old = [&] {
    return connection.number("PRAGMA user_version").value_or(0) < schema_version;
  };
  if (!is_old()) return;
  Transaction transaction(connection, Transaction::Kind::write);
  if (!is_old()) return;
  connection.run(record_tables);
  connection.run("PRAGMA user_version = " + std::to_string(schema_version));
  transaction.commit();
}

static Status check_tables(Connection& connection, const Location& location) {
  const auto found = connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
      "name IN ('namespaces', 'paused', 'jobs', 'records', 'marks')");
  if (found.value_or(0) == 5) return Done{};
  return refusal(location.shown() +
                 " lacks tables that it should have: it is damaged; name another file in the url");
}

static Status use_log(Connection& connection, const Location& location) {
  if (location.in_memory()) return Done{};
  std::optional<std::string> mode;
  // Who changes the journal does not wait for others as everybody else does: wait in their stead.
  for (int tries = 0; tries < 100 && mode != "wal"; ++tries) {
    try {
      mode = connection.word("PRAGMA journal_mode = WAL");
      break;
    } catch (const Failure& failure) {
      if (tries == 99 || (failure.code & 0xff) != SQLITE_BUSY) throw;
      connection.run("BEGIN IMMEDIATE");
      connection.run("COMMIT");
    }
  }
  if (mode == "wal") return Done{};
  return not_writable(location.shown() + " cannot have a write-ahead log (its journal stays '" +
                      mode.value_or("") + "'): put it on a local disk");
}

static Status prepare_store(Connection& connection, const Location& location) {
  configure(connection, location);
  if (Status made = make_schema(connection, location); !made.ok()) return made;
  bring_up_to_date(connection);
  if (Status logged = use_log(connection, location); !logged.ok()) return logged;
  if (location.max_pages)
    connection.run("PRAGMA max_page_count = " + std::to_string(*location.max_pages));
  return check_tables(connection, location);
}

Result<std::unique_ptr<Connection>> open_store(const Location& location, Gates* gates,
                                               Connection::Users users) try {
  if (!location.in_memory())
    if (Status place = check_place(location.path); !place.ok()) return place.error();
  auto connection = std::make_unique<Connection>(
      location.in_memory() ? ":memory:" : uri_of(location.path),
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, gates,
      users);
  if (connection->read_only())
    return not_writable(location.shown() + " is read-only: make it writable");
  if (Status ready = prepare_store(*connection, location); !ready.ok()) return ready.error();
  return connection;
} catch (const Failure& failure) {
  return to_error(failure, location.shown());
}

void remove_store(const Location& location) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(location.path + suffix, ignored);
}

}  // namespace assay::lite
