// LossyChannel: another channel, whose messages are lost, doubled, delayed and reordered on
// purpose, all drawn from a seed. A fault: what works with it works with any channel.
//
// Any number may receive at once where the other channel lets them.
#pragma once

#include <list>
#include <memory>

#include "engine/channel.h"
#include "engine/events.h"
#include "harness/contract/random.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

// How often of a hundred, each drawn for itself.
struct Losses {
  int drop_percent = 0;
  int duplicate_percent = 0;
  int delay_percent = 0;
  Duration delay{0};  // at most so long, drawn
  int reorder_percent = 0;
  Duration reorder_within{0};  // behind the next one, if there is one by then
  int undelete_percent = 0;    // the deletion is said to be done, and is not
};

std::optional<Error> objection_to(const Losses& losses);

class LossyChannel final : public Channel {
 public:
  struct Options {
    std::string name = "lossy";
    Losses losses = {};
    std::uint64_t seed = 0;
    Observer* observer = nullptr;  // borrowed for life; told under a lock of the channel's own
  };
  // What was done so far: a fault counts only where it struck.
  struct Counts {
    std::int64_t dropped = 0, doubled = 0, delayed = 0, reordered = 0, undeleted = 0;
  };

  // Refuses losses that make no sense. Runtime and channel are borrowed for life.
  static Result<std::unique_ptr<LossyChannel>> make(Runtime& runtime, Channel& inner,
                                                    Options options);

  Status announce(const JobId& task) override;
  Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) override;
  Result<Instant> prolong(const Message& message) override { return inner_.prolong(message); }
  Status remove(const Message& message) override;
  Duration visibility() const override { return inner_.visibility(); }

  Counts counts() const;

 private:
  LossyChannel(Runtime& runtime, Channel& inner, Options options);

  struct Held {
    JobId task = {};
    Instant until = {};
    bool for_the_next = false;  // goes as soon as another one went
  };

  // With the monitor held.
  bool strikes(int percent);
  Duration drawn_up_to(Duration longest);
  void spoil(const JobId& task, Spoiling how, std::int64_t& count);
  void draw_way(const JobId& task, std::vector<JobId>& now);
  std::vector<JobId> due(Instant& next);

  Status send(const std::vector<JobId>& tasks);

  Clock& clock_;
  Channel& inner_;
  const Options options_;
  const std::unique_ptr<Monitor> monitor_;
  Random random_;
  std::list<Held> held_;
  Counts counts_;
  std::stop_source changes_;  // requested when one is held
};

}  // namespace assay::engine
