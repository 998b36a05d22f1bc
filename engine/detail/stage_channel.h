// StageChannel: a channel of the engine on somebody's end of the run's own channel.
#pragma once

#include "engine/channel.h"
#include "harness/run/wakeup_line.h"

namespace assay::engine::detail {

class StageChannel final : public Channel {
 public:
  // Announces to the queue. The line is borrowed for life.
  StageChannel(WakeUpLine& line, std::string queue) : line_(line), queue_(std::move(queue)) {}

  Status announce(const JobId& task) override { return line_.announce(queue_, task); }
  Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) override {
    auto heard = line_.receive(deadline, std::move(stop));
    if (!heard.ok()) return heard.error();
    if (!*heard) return std::optional<Message>();
    return std::optional(Message{(*heard)->says, (*heard)->receipt, (*heard)->hidden_until});
  }
  Result<Instant> prolong(const Message& message) override {
    return line_.prolong(message.receipt);
  }
  Status remove(const Message& message) override { return line_.remove(message.receipt); }
  Duration visibility() const override { return line_.visibility(); }

 private:
  WakeUpLine& line_;
  const std::string queue_;
};

}  // namespace assay::engine::detail
