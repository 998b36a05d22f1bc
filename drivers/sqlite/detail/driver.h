// SqliteDriver: a store in a file or in memory, shared by many namespaces and, in a file, by many
// processes.
//
// Each session has a connection of its own, kept for the next one when it closes. A store in memory
// has one connection for all: SQLite's shared cache would refuse instead of wait.
#pragma once

#include <mutex>
#include <vector>

#include "drivers/sqlite/detail/location.h"
#include "drivers/sqlite/detail/session.h"

namespace assay::lite {

class SqliteDriver final : public Driver {
 public:
  // The file is opened, and made where it is missing. Refuses a file that is not a store of ours.
  static Result<std::unique_ptr<Driver>> make(const DriverOptions& options,
                                              const SqliteStatements& statements);
  ~SqliteDriver() override;

  const Profile& profile() const override { return shared_.profile; }
  Status setup(const Setup& setup) override;
  Status teardown() override;
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override;
  Result<Instant> now() override;
  Result<Instant> advance(Duration by) override;
  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override;

 private:
  SqliteDriver(const DriverOptions& options, const SqliteStatements& statements, Location location,
               std::unique_ptr<Connection> own);

  // Runs `body` in a transaction on the driver's own connection.
  template <class T, class Body>
  Result<T> on_store(Transaction::Kind kind, Body body);

  void drop(std::int64_t ns);
  Result<Connection*> take_connection();
  void give_back(Connection& connection);

  Location location_;
  bool private_;
  Gates* gates_;
  Shared shared_;
  Random random_;
  std::unique_ptr<Connection> own_;
  std::optional<std::int64_t> ns_;

  std::mutex mutex_;  // of the two below
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> free_;
};

}  // namespace assay::lite
