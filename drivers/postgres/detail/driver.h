// PostgresDriver: a server, shared by many namespaces and many processes.
//
// Each session has a connection of its own, kept for the next one when it closes.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "drivers/postgres/detail/session.h"

namespace assay::pg {

class PostgresDriver final : public Driver {
 public:
  // Connects. Refuses a server that is too old, or that can only be read.
  static Result<std::unique_ptr<Driver>> make(const DriverOptions& options,
                                              const PostgresStatements& statements);

  const Profile& profile() const override { return shared_.profile; }
  Status setup(const Setup& setup) override;
  Status teardown() override;
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override;
  Result<Instant> now() override;
  Result<Instant> advance(Duration by) override;

 private:
  PostgresDriver(const DriverOptions& options, const PostgresStatements& statements,
                 Location location);

  // Runs `body` on the driver's own connection.
  template <class T, class Body>
  Result<T> on_server(Phase phase, Body body);

  // The connections of one way to the server.
  struct Way {
    Location location;
    std::vector<std::unique_ptr<Connection>> connections;
    std::vector<Connection*> free;
  };
  Way& way_of(const std::string& url, const Location& location);
  Connection& take_connection(Way& way);
  Result<Instant> store_time(const pqxx::result& offsets) const;

  Shared shared_;
  Random random_;
  std::optional<Place> place_;

  Watchdog watchdog_;  // outlives the connections

  std::mutex own_mutex_;
  Connection own_;

  std::mutex mutex_;                 // of the ways
  std::map<std::string, Way> ways_;  // by url; empty: the driver's own
};

}  // namespace assay::pg
