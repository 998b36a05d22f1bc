// PassingChannel: passes everything on to another channel; a mutant alters some of it.
#pragma once

#include "engine/channel.h"

namespace assay::engine::mutants {

class PassingChannel : public Channel {
 public:
  // The other one is borrowed for life.
  explicit PassingChannel(Channel& inner) : inner_(inner) {}

  Status announce(const JobId& task) override { return inner_.announce(task); }
  Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) override {
    return inner_.receive(deadline, std::move(stop));
  }
  Result<Instant> prolong(const Message& message) override { return inner_.prolong(message); }
  Status remove(const Message& message) override { return inner_.remove(message); }
  Duration visibility() const override { return inner_.visibility(); }

 protected:
  Channel& inner_;
};

}  // namespace assay::engine::mutants
