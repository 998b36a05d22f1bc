// Connection: one connection to the server, made when it is needed and made anew when it was lost,
// with its prepared statements.
//
// Used by one thread at a time. Trouble is thrown; to_error turns it into an Error before it leaves
// the driver.
#pragma once

#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <unordered_map>

#include "drivers/postgres/detail/location.h"
#include "drivers/postgres/detail/watchdog.h"
#include "harness/contract/error.h"

namespace assay::pg {

// How far the call had come: what was not sent had no effect, and a read has none.
enum class Phase { connecting, reading, writing };

// The one place where libpqxx's exceptions become ours. Requires: an exception is being handled.
// Whatever it does not know is indefinite.
Error to_error(Phase phase, const Location& location);

// The server is not one that we can work with.
struct Unfit {
  std::string why;
};

// What a server says of itself.
struct ServerTraits {
  bool survives_crash = true;  // commits are on disk before they are acknowledged
};

class Connection {
 public:
  // Both are borrowed.
  Connection(const Location& location, Watchdog& watchdog);
  ~Connection();

  // Statements name tables and functions of this schema.
  void use_schema(const std::string& schema);

  // It is in use already, by a statement of ours.
  void is_in(const std::string& schema);

  // Connected and in its schema. What was lost while nobody used it is made anew: nothing was sent,
  // so nothing is in doubt.
  void make_ready();

  // Runs statements of our own making, in one transaction; the last one's answer. Requires:
  // make_ready was called.
  pqxx::result run(const std::string& sql);

  // Ends a transaction that somebody began and that came to nothing, if there is one.
  void take_back() noexcept;

  // Runs a statement, which is prepared at its first use. Requires: make_ready was called.
  template <class... Values>
  pqxx::result ask(const std::string& sql, const Values&... values) {
    return in_time(1, [&] {
      pqxx::nontransaction work(*connection_);
      return work.exec_prepared(prepared(sql), values...);
    });
  }

  // Calls a function of the schema. Requires: make_ready was called.
  template <class... Values>
  pqxx::result call(const std::string& function, const Values&... values) {
    return ask(calling(function, sizeof...(values)), values...);
  }

  const ServerTraits& traits() const { return traits_; }

 private:
  const std::string& prepared(const std::string& sql);
  const std::string& calling(const std::string& function, std::size_t parameters);
  void connect();
  void disconnect();
  bool is_lost();

  // What takes longer than the server would let a statement run loses its connection.
  template <class Body>
  pqxx::result in_time(int statements, Body body) {
    deadline_.begin(statements * patience_);
    try {
      pqxx::result result = body();
      deadline_.end();
      return result;
    } catch (...) {
      if (deadline_.end()) throw_no_answer(statements);
      throw;
    }
  }
  [[noreturn]] void throw_no_answer(int statements) const;

  const Location& location_;
  std::unique_ptr<pqxx::connection> connection_;
  std::unique_ptr<pqxx::quiet_errorhandler> quiet_;  // goes before the connection
  std::unordered_map<std::string, std::string> prepared_;
  std::unordered_map<std::string, std::string> calls_;
  std::string schema_;        // wanted
  std::string schema_there_;  // in use
  ServerTraits traits_;
  Watchdog& watchdog_;
  Deadline deadline_;
  Duration patience_;
};

// Bytes as a parameter, and as a result.
std::string to_hex(const std::string& bytes);
std::optional<std::string> to_hex(const std::optional<std::string>& bytes);
std::string from_hex(const pqxx::field& field);
std::string from_hex(std::string_view text);

}  // namespace assay::pg
