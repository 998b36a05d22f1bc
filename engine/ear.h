// Ear: what a worker hears of a channel, and what it does about the messages: hides each while its
// task runs here, and deletes it when it is of no more use.
//
// It is the worker's wake-ups and its observer, both: it learns from the events what became of the
// task that a message named. A message whose task was claimed here is prolonged until the task is
// settled, and deleted then; one whose task was not to be had is deleted at once. Where a lease is
// left to lapse, the message comes again by itself.
//
// Thread-safe. Outlives the worker.
#pragma once

#include <memory>

#include "engine/channel.h"
#include "engine/events.h"
#include "engine/wakeups.h"
#include "harness/contract/profile.h"

namespace assay::engine {

struct EarOptions {
  std::string name = "ear";
  // Of the tasks that the channel announces; absent: one of the worker's.
  std::optional<std::string> queue = {};
  // So many messages may wait here for the worker to claim their tasks; more are left to others.
  std::size_t ahead = 16;
  // After an error of the channel it is left alone for so long.
  Duration pause{1'000};
  // Is told of the worker's events and of the messages', all under one lock. Borrowed for life.
  Observer* observer = nullptr;
};

class Ear final : public WakeUps, public Observer {
 public:
  // For a worker on a driver of this profile: where claims name no job, a message is a hint and is
  // deleted as soon as it was heard. Runtime and channel are borrowed for life.
  Ear(Runtime& runtime, Channel& channel, const Profile& profile, EarOptions options);
  ~Ear() override;

  std::optional<WakeUp> wait_until(Instant deadline, std::stop_token stop) override;
  void see(const Event& event) override;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace assay::engine
