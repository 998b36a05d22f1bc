// InProcessChannel: a channel within this process. Any number may receive at once. What is in it is
// gone with it.
#pragma once

#include <list>
#include <memory>

#include "engine/channel.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

class InProcessChannel final : public Channel {
 public:
  // At most so many wait; the oldest is forgotten for the newest. The runtime is borrowed for life.
  explicit InProcessChannel(Runtime& runtime, Duration visibility = Duration{30'000},
                            std::size_t bound = 100'000);

  Status announce(const JobId& task) override;
  Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) override;
  Result<Instant> prolong(const Message& message) override;
  Status remove(const Message& message) override;
  Duration visibility() const override { return visibility_; }

  // Hidden ones, too.
  std::size_t size() const;

 private:
  struct Entry {
    JobId task = {};
    std::string receipt = {};  // empty: never received
    Instant visible_at = {};
  };

  // With the monitor held: hides the first that is visible, else says when one may be.
  std::optional<Message> take(Instant now, Instant& next);
  std::list<Entry>::iterator find(const Message& message);

  Clock& clock_;
  const Duration visibility_;
  const std::size_t bound_;
  const std::unique_ptr<Monitor> monitor_;
  std::list<Entry> entries_;
  std::uint64_t receipts_ = 0;
  std::stop_source changes_;  // requested when one comes
};

}  // namespace assay::engine
