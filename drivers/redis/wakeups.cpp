// Wake-ups: the scripts publish, and a connection of its own listens.
#include <map>

#include "drivers/redis/detail/driver.h"
#include "drivers/stored/listener.h"
#include "harness/contract/check.h"

namespace assay::rds {
namespace {

class Subscription final : public stored::Line {
 public:
  // As the scripts name the channels: all databases of a server share them, so the generation is
  // part of the name.
  //
  // The scripts are borrowed.
  Subscription(const Location& location, const Shared& shared, const Namespace& name_space,
               const std::vector<std::string>& queues)
      : connection_(location),
        scripts_(shared.scripts),
        where_(shared.where),
        words_(scripts_.begin(Op::listen, name_space.key)) {
    words_.add(name_space.generation);
    for (const std::string& queue : queues)
      queues_[name_space.key + ":wake:" + name_space.generation + ":" + queue] = queue;
    for (const auto& [channel, queue] : queues_) channels_.push_back(channel);
  }

  std::optional<Error> open() override {
    std::optional<Error> gone;
    const auto lost = trying([&] {
      if (scripts_.run(Op::listen, connection_, words_)[0].number() == 1)
        connection_.subscribe(channels_);
      else
        gone = Error{ErrorCode::unavailable, where_ + ": the namespace is gone",
                     LeaseReason::unstated, true};
    });
    return lost ? lost : gone;
  }
  int socket() const override { return connection_.socket(); }

  std::optional<Error> read(stored::Mailbox& mailbox) override {
    return trying([&] {
      for (const Reply& reply : connection_.arrived()) {
        if (reply.value().is_error() || reply[0].text() != "message") continue;
        const std::string id(reply[2].text());
        const auto queue = queues_.find(std::string(reply[1].text()));
        if (queue != queues_.end())
          mailbox.put(queue->second, id.empty() ? std::nullopt : std::optional(id));
      }
    });
  }

 private:
  template <class Try>
  std::optional<Error> trying(Try what) {
    try {
      what();
      return std::nullopt;
    } catch (const Failure& failure) {
      return to_error(failure, where_);
    }
  }

  Connection connection_;
  const Scripts& scripts_;
  const std::string where_;
  Words words_;
  std::map<std::string, std::string> queues_;  // by channel
  std::vector<std::string> channels_;
};

}  // namespace

Result<std::unique_ptr<WakeUps>> RedisDriver::wakeups(const std::vector<std::string>& queues) {
  CHECK(namespace_.has_value());
  return stored::Listener::make(
      queues, std::make_unique<Subscription>(location_, shared_, *namespace_, queues));
}

}  // namespace assay::rds
