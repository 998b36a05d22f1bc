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
  ~PostgresDriver() override { drop_spare(); }

  // Connects. Refuses a server that is too old, or that can only be read.
  static Result<std::unique_ptr<Driver>> make(const DriverOptions& options,
                                              const PostgresStatements& statements);

  const Profile& profile() const override { return shared_.profile; }
  Status setup(const Setup& setup) override;
  Status teardown() override;
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override;
  Result<Instant> now() override;
  Result<Instant> advance(Duration by) override;
  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override;

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

  bool has_open_sessions();
  void drop_spare();

  Shared shared_;
  Random random_;
  std::optional<Place> place_;
  // A namespace whose name came twice in a row will come again: its schema is emptied, not dropped,
  // and stays until another one is set up, or the driver goes. Making one costs a hundred times as
  // much.
  std::optional<Place> spare_;
  std::string torn_down_;     // the last schema that was
  bool comes_again_ = false;  // it was set up a second time
  int emptied_ = 0;           // how often, since it was made

  Watchdog watchdog_;  // outlives the connections

  std::mutex own_mutex_;
  Connection own_;

  std::mutex mutex_;                 // of the ways
  std::map<std::string, Way> ways_;  // by url; empty: the driver's own
};

}  // namespace assay::pg
