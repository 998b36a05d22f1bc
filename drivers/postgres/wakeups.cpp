// Wake-ups: LISTEN on a connection of its own.
#include <pqxx/pqxx>
#include <set>

#include "drivers/postgres/detail/driver.h"
#include "drivers/postgres/detail/sql.h"
#include "drivers/stored/listener.h"
#include "harness/contract/check.h"

namespace assay::pg {
namespace {

// The ids that came on one channel since they were last taken.
class Channel final : public pqxx::notification_receiver {
 public:
  Channel(pqxx::connection& connection, const std::string& name, const std::string& queue)
      : pqxx::notification_receiver(connection, name), queue_(queue) {}

  void operator()(const std::string& payload, int) override { payloads_.push_back(payload); }

  void empty_into(stored::Mailbox& mailbox) {
    for (const std::string& payload : std::exchange(payloads_, {}))
      mailbox.put(queue_,
                  payload.empty() ? std::nullopt : std::optional(from_hex("\\x" + payload)));
  }

 private:
  const std::string& queue_;
  std::vector<std::string> payloads_;
};

class Notifications final : public stored::Line {
 public:
  // The location is borrowed.
  Notifications(const Location& location, Place place, const std::vector<std::string>& queues)
      : location_(location), place_(std::move(place)), queues_(queues) {}

  ~Notifications() override {
    channels_.clear();
    try {
      if (connection_ && connection_->is_open())
        pqxx::nontransaction(*connection_).exec(end_listening());
    } catch (...) {
      // The triggers stay, and cost no more than time.
    }
    close();
  }

  std::optional<Error> open() override {
    return trying([&] {
      close();
      connection_ = std::make_unique<pqxx::connection>(location_.conninfo());
      quiet_ = std::make_unique<pqxx::quiet_errorhandler>(*connection_);
      run("SET search_path TO " + connection_->quote_name(place_.schema) +
          "; SET lock_timeout = '10s'; SET statement_timeout = '15s'; SET client_min_messages = "
          "'warning'; SET bytea_output = 'hex'");
      const auto there = run("SELECT FROM meta WHERE era = " + std::to_string(place_.era));
      if (there.empty()) throw pqxx::sql_error("the namespace is gone", "", "3F000");
      run(begin_listening());
      for (const std::string& queue : queues_) {
        const std::string bytes = connection_->quote(to_hex(queue)) + "::bytea";
        const auto name = run("SELECT " + channel_of("(" + brief(bytes) + ")"));
        channels_.push_back(
            std::make_unique<Channel>(*connection_, name[0][0].as<std::string>(), queue));
      }
    });
  }

  int socket() const override { return connection_ ? connection_->sock() : -1; }

  std::optional<Error> read(stored::Mailbox& mailbox) override {
    return trying([&] {
      connection_->get_notifs();
      for (const auto& channel : channels_) channel->empty_into(mailbox);
      if (!connection_->is_open()) throw pqxx::broken_connection("the server closed it");
    });
  }

 private:
  pqxx::result run(const std::string& sql) { return pqxx::nontransaction(*connection_).exec(sql); }

  // In this order: the receivers speak to their connection.
  void close() {
    channels_.clear();
    quiet_.reset();
    connection_.reset();
  }

  template <class Try>
  std::optional<Error> trying(Try what) {
    try {
      what();
      return std::nullopt;
    } catch (...) {
      Error error = to_error(Phase::reading, location_);
      close();
      return error;
    }
  }

  const Location& location_;
  const Place place_;
  const std::vector<std::string> queues_;
  std::unique_ptr<pqxx::connection> connection_;
  std::unique_ptr<pqxx::quiet_errorhandler> quiet_;
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace

Result<std::unique_ptr<WakeUps>> PostgresDriver::wakeups(const std::vector<std::string>& queues) {
  CHECK(place_.has_value());
  const std::set<std::string> distinct(queues.begin(), queues.end());
  return stored::Listener::make(
      queues,
      std::make_unique<Notifications>(shared_.location, *place_,
                                      std::vector<std::string>(distinct.begin(), distinct.end())));
}

}  // namespace assay::pg
