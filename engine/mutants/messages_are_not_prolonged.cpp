// messages_are_not_prolonged: a message is not kept hidden while its job runs on.
#include "engine/mutants/all.h"
#include "engine/mutants/passing_channel.h"

namespace assay::engine::mutants {

namespace {

class Lazy final : public PassingChannel {
 public:
  using PassingChannel::PassingChannel;

  Result<Instant> prolong(const Message& message) override {
    return message.hidden_until + visibility();
  }
};

}  // namespace

EngineInfo messages_are_not_prolonged() {
  return mutant("messages_are_not_prolonged", {"WAKE-5"},
                "a message is not kept hidden while its job runs on", [] {
                  Alterations altered;
                  altered.channel = [](Channel& inner) { return std::make_unique<Lazy>(inner); };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
