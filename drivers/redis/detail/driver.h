// RedisDriver: a server that many namespaces and many processes share.
//
// Each session has a connection of its own, kept for the next one when it closes.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "drivers/redis/detail/session.h"

namespace assay::rds {

class RedisDriver final : public Driver {
 public:
  // Refuses a server that is not fit to keep jobs.
  static Result<std::unique_ptr<Driver>> make(const DriverOptions& options,
                                              const Alter& alter = {});

  const Profile& profile() const override { return shared_.profile; }
  Status setup(const Setup& setup) override;
  Status teardown() override;
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override;
  Result<Instant> now() override;
  Result<Instant> advance(Duration by) override;
  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override;

 private:
  RedisDriver(const DriverOptions& options, const Location& location, const Alter& alter);

  // Runs `body` on the driver's own connection.
  template <class T, class Body>
  Result<T> on_server(Body body);

  void drop(const Namespace& name_space);

  // The connections of one way to the server.
  struct Way {
    std::vector<std::unique_ptr<Connection>> connections;
    std::vector<Connection*> free;
  };

  Location location_;
  Clock& clock_;
  Shared shared_;
  Random random_;
  std::optional<Namespace> namespace_;

  std::mutex own_mutex_;  // of the connection below
  Connection own_;

  std::mutex mutex_;                 // of the ways
  std::map<std::string, Way> ways_;  // by url; empty: the driver's own
};

}  // namespace assay::rds
