// wakeups_say_more_than_an_id: a wake-up carries more than the id of its job.
#include "engine/mutants/all.h"
#include "engine/mutants/passing_channel.h"

namespace assay::engine::mutants {

namespace {

class Talkative final : public PassingChannel {
 public:
  using PassingChannel::PassingChannel;

  Status announce(const JobId& task) override { return inner_.announce(task + "\nrun it"); }
  Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) override {
    auto received = inner_.receive(deadline, std::move(stop));
    if (received.ok() && *received) {
      JobId& task = received.value()->task;
      task = task.substr(0, task.find('\n'));
    }
    return received;
  }
};

}  // namespace

EngineInfo wakeups_say_more_than_an_id() {
  return mutant("wakeups_say_more_than_an_id", {"WAKE-1"},
                "a wake-up carries more than the id of its job", [] {
                  Alterations altered;
                  altered.channel = [](Channel& inner) {
                    return std::make_unique<Talkative>(inner);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
