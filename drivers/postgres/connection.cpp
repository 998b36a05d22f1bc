#include "drivers/postgres/detail/connection.h"

#include <poll.h>

#include <new>

#if defined(__SANITIZE_ADDRESS__)
// Of libpqxx 6.4, not of ours: it asks for the encoding while it holds a bare PGresult, and where
// the connection is gone that throws, and the result is lost (connection_base::make_result).
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:pqxx::connection_base::\n"; }
#endif

namespace assay::pg {

static constexpr int oldest_version = 120'000;

static Error unavailable(std::string message, bool definite) {
  return {ErrorCode::unavailable, std::move(message), LeaseReason::unstated, definite};
}

// An error that the server answered: the statement was rolled back, unless the server itself says
// otherwise or was about to end.
static Error refused_by_server(const std::string& state, const std::string& told) {
  const auto is_in = [&](std::string_view kind) { return state.starts_with(kind); };
  if (state == "3F000" || state == "42P01" || state == "42883")
    return unavailable(told + "; the namespace is gone: set it up again and open new sessions",
                       true);
  if (state == "55P03" || state == "57014")
    return unavailable(told + "; somebody holds a lock, or the server is busy: try again", true);
  if (state == "53100") return unavailable(told + "; free some space on its disk", true);
  if (is_in("53")) return unavailable(told + "; the server is short of something: try again", true);
  if (state == "25006")
    return unavailable(told + "; the server can only be read: name a primary in the url", true);
  if (state == "42501")
    return unavailable(told + "; the user needs the right to create schemas in the database", true);
  if (state == "AY001") return {ErrorCode::invalid, told};
  if (is_in("22") || is_in("54"))
    return {ErrorCode::invalid, told + "; PostgreSQL cannot keep this value"};
  if (is_in("57") || is_in("08") || is_in("58")) return unavailable(told, false);
  return {ErrorCode::internal, told};
}

// libpqxx drops the code of some errors that it has a class for.
static std::string state_of(const pqxx::sql_error& error) {
  if (!error.sqlstate().empty()) return error.sqlstate();
  if (dynamic_cast<const pqxx::insufficient_privilege*>(&error)) return "42501";
  if (dynamic_cast<const pqxx::undefined_table*>(&error)) return "42P01";
  if (dynamic_cast<const pqxx::undefined_function*>(&error)) return "42883";
  if (dynamic_cast<const pqxx::disk_full*>(&error)) return "53100";
  if (dynamic_cast<const pqxx::insufficient_resources*>(&error)) return "53000";
  if (dynamic_cast<const pqxx::data_exception*>(&error)) return "22000";
  return "";
}

static Error told_by(const Location& location) {
  const auto told = [&](const std::exception& thrown) {
    return location.shown() + ": " + location.cleaned(thrown.what());
  };
  try {
    throw;
  } catch (const Unfit& unfit) {
    return unavailable(location.shown() + " " + unfit.why, true);
  } catch (const pqxx::too_many_connections& thrown) {
    return unavailable(told(thrown) + "; end some clients, or raise its max_connections", true);
  } catch (const pqxx::in_doubt_error& thrown) {
    return unavailable(told(thrown), false);
  } catch (const pqxx::broken_connection& thrown) {
    return unavailable(told(thrown), false);
  } catch (const pqxx::statement_completion_unknown& thrown) {
    return unavailable(told(thrown), false);
  } catch (const pqxx::transaction_rollback& thrown) {
    return unavailable(told(thrown) + "; others were faster: try again", true);
  } catch (const pqxx::sql_error& thrown) {
    return refused_by_server(state_of(thrown), told(thrown));
  } catch (const pqxx::failure& thrown) {
    return unavailable(told(thrown), false);
  } catch (const std::bad_alloc&) {
    return {ErrorCode::internal, location.shown() + ": out of memory"};
  } catch (const std::exception& thrown) {
    return {ErrorCode::internal, told(thrown)};
  } catch (...) {
    return {ErrorCode::internal, location.shown() + ": something that is no exception was thrown"};
  }
}

Error to_error(Phase phase, const Location& location) {
  Error error = told_by(location);
  if (phase != Phase::writing) error.definite = true;
  if (phase == Phase::connecting && error.code == ErrorCode::internal)
    error.code = ErrorCode::unavailable;
  return error;
}

void Connection::use_schema(const std::string& schema) { schema_ = schema; }
void Connection::is_in(const std::string& schema) { schema_ = schema_there_ = schema; }

// An idle server speaks only to say goodbye, or of a change in its settings. After its last words
// the end of the connection may take a moment to arrive.
bool Connection::is_lost() {
  constexpr int moment_ms = 50;
  if (!connection_ || !connection_->is_open()) return true;
  pollfd ready{connection_->sock(), POLLIN, 0};
  try {
    for (int wait = 0; ::poll(&ready, 1, wait) > 0; wait = moment_ms) {
      connection_->get_notifs();
      if (!connection_->is_open()) return true;
    }
    return false;
  } catch (const pqxx::broken_connection&) {
    return true;
  }
}

// Statements are planned once, and always along an index: what is right for an empty table would
// otherwise be kept for a full one. Nothing waits for ever, unless the url asks for it.
static const char* const settings = R"sql(
SELECT set_config('plan_cache_mode', 'force_generic_plan', false),
  set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false),
  set_config('jit', 'off', false), set_config('bytea_output', 'hex', false),
  set_config('client_min_messages', 'warning', false),
  set_config('default_transaction_isolation',
    coalesce(nullif(current_setting('assay.isolation', true), ''), 'read committed'), false),
  set_config(name, CASE setting WHEN '0' THEN limit_ms ELSE setting END, false)
FROM pg_settings JOIN (VALUES ('statement_timeout', '15000'), ('lock_timeout', '10000'),
  ('idle_in_transaction_session_timeout', '60000')) AS ours (limit_of, limit_ms) ON name = limit_of;
SELECT current_setting('transaction_read_only') = 'on' OR pg_is_in_recovery(),
  current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off',
  (SELECT setting FROM pg_settings WHERE name = 'statement_timeout');
)sql";

static constexpr Duration usual_statement_timeout{15'000};

Connection::Connection(const Location& location, Watchdog& watchdog)
    : location_(location),
      watchdog_(watchdog),
      patience_(usual_statement_timeout + location.connect_timeout()) {
  watchdog_.add(deadline_);
}

Connection::~Connection() {
  disconnect();
  watchdog_.remove(deadline_);
}

void Connection::disconnect() {
  deadline_.watch(-1);
  quiet_.reset();
  connection_.reset();
  prepared_.clear();
  schema_there_.clear();
}

void Connection::throw_no_answer(int statements) const {
  throw pqxx::broken_connection("no answer within " +
                                std::to_string((statements * patience_).count()) +
                                " ms: the connection was given up");
}

// A socket is watched no more before it is closed, whatever is thrown.
struct Unwatched {
  Deadline& deadline;
  bool is_kept = false;
  ~Unwatched() {
    if (!is_kept) deadline.watch(-1);
  }
};

void Connection::connect() {
  disconnect();
  auto made = std::make_unique<pqxx::connection>(location_.conninfo());
  if (made->server_version() < oldest_version)
    throw Unfit{"has the version number " + std::to_string(made->server_version()) +
                ", which is too old: version 12 or newer is needed"};
  auto quiet = std::make_unique<pqxx::quiet_errorhandler>(*made);
  deadline_.watch(made->sock());
  Unwatched unwatched{deadline_};
  const auto said = in_time(1, [&] { return pqxx::nontransaction(*made).exec(settings); });
  if (said[0][0].as<bool>())
    throw Unfit{"can only be read, as a replica is: name a primary in the url"};
  traits_.survives_crash = said[0][1].as<bool>();
  patience_ = Duration{said[0][2].as<std::int64_t>()} + location_.connect_timeout();
  connection_ = std::move(made);
  quiet_ = std::move(quiet);
  unwatched.is_kept = true;
}

void Connection::make_ready() {
  if (is_lost()) connect();
  if (schema_.empty() || schema_there_ == schema_) return;
  in_time(1, [&] {
    return pqxx::nontransaction(*connection_)
        .exec("SET search_path TO " + connection_->quote_name(schema_));
  });
  schema_there_ = schema_;
}

pqxx::result Connection::run(const std::string& sql) {
  constexpr int some = 3;  // of the statements wait for somebody
  return in_time(some, [&] { return pqxx::nontransaction(*connection_).exec(sql); });
}

void Connection::take_back() noexcept {
  try {
    run("ROLLBACK");
  } catch (...) {
    // It is lost, and with it whatever was begun.
  }
}

const std::string& Connection::prepared(const std::string& sql) {
  const auto [at, is_new] = prepared_.try_emplace(sql, "s" + std::to_string(prepared_.size()));
  if (is_new) connection_->prepare(at->second, sql);
  return at->second;
}

const std::string& Connection::calling(const std::string& function, std::size_t parameters) {
  std::string& sql = calls_[function];
  if (sql.empty()) {
    sql = "SELECT verdict, now_ms, (j).* FROM " + function + "(";
    for (std::size_t n = 1; n <= parameters; ++n) sql += (n > 1 ? ", $" : "$") + std::to_string(n);
    sql += ")";
  }
  return sql;
}

static constexpr char digits[] = "0123456789abcdef";

std::string to_hex(const std::string& bytes) {
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::optional<std::string> to_hex(const std::optional<std::string>& bytes) {
  if (!bytes) return std::nullopt;
  return to_hex(*bytes);
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

std::string from_hex(const pqxx::field& field) {
  return from_hex(std::string_view(field.c_str(), field.size()));
}

std::string from_hex(std::string_view text) {
  std::string bytes;
  if (text.size() < 2) return bytes;
  bytes.resize(text.size() / 2 - 1);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(digit(text[2 + 2 * i]) * 16 + digit(text[3 + 2 * i]));
  return bytes;
}

}  // namespace assay::pg
