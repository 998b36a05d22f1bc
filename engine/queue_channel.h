// QueueChannel: a channel that is a queue of some driver: in Postgres, in Redis, wherever there is
// one. A message is a job of it, hidden by its lease, prolonged by a heartbeat, deleted by an ack.
//
// The queue may lie beside the tasks or in another store altogether; it must be nobody else's. A
// message that is hidden and comes again too often dies like a job. What is done is kept for as
// long as the driver keeps done jobs.
#pragma once

#include <memory>

#include "engine/channel.h"
#include "harness/contract/driver.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

class QueueChannel final : public Channel {
 public:
  struct Options {
    std::string name = "channel";  // of its sessions
    std::string queue = "wake-ups";
    Duration visibility{30'000};
    // How often the queue is looked into although nothing was heard: a message that comes again
    // wakes nobody.
    Duration poll{1'000};
    // Hears of messages from the driver, where it can. Those waits go by the machine's time, so
    // this is not for virtual time.
    bool listens = true;
    // Of the messages' ids. Two that share a queue must not share it.
    std::uint64_t seed = 0;
  };

  // Refuses a driver whose claims name a job. Runtime and driver are borrowed for life; a namespace
  // is set up there for as long.
  static Result<std::unique_ptr<QueueChannel>> make(Runtime& runtime, Driver& driver,
                                                    Options options);
  ~QueueChannel() override;

  Status announce(const JobId& task) override;
  Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) override;
  Result<Instant> prolong(const Message& message) override;
  Status remove(const Message& message) override;
  Duration visibility() const override;

 private:
  class Body;
  explicit QueueChannel(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace assay::engine
