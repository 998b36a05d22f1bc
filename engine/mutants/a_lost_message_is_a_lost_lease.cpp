// a_lost_message_is_a_lost_lease: a worker gives a job up when somebody else sees its message.
#include "engine/mutants/all.h"
#include "engine/mutants/passing_channel.h"

namespace assay::engine::mutants {

namespace {

using Stops = std::map<JobId, std::stop_source>;

class Fearful final : public PassingChannel {
 public:
  Fearful(Channel& inner, std::shared_ptr<Stops> stops)
      : PassingChannel(inner), stops_(std::move(stops)) {}

  Result<Instant> prolong(const Message& message) override {
    auto until = inner_.prolong(message);
    if (const auto at = stops_->find(message.task); !until.ok() && at != stops_->end())
      at->second.request_stop();
    return until;
  }

 private:
  const std::shared_ptr<Stops> stops_;  // shared with the handlers
};

// Told to stop by either.
ActResult act_while_hidden(const Errand& errand, const Acting& act, std::stop_source& message) {
  std::stop_source either;
  const std::stop_callback told(errand.stop, [&] { either.request_stop(); });
  const std::stop_callback seen(message.get_token(), [&] { either.request_stop(); });
  return act({errand.job, errand.run, errand.clock, either.get_token(), [&] {
                return errand.stop.stop_requested() ? errand.why() : std::string("lease_lost");
              }});
}

}  // namespace

EngineInfo a_lost_message_is_a_lost_lease() {
  return mutant("a_lost_message_is_a_lost_lease", {"WAKE-4"},
                "a worker gives a job up when somebody else sees its message", [] {
                  Alterations altered;
                  const auto stops = std::make_shared<Stops>();
                  altered.channel = [stops](Channel& inner) {
                    return std::make_unique<Fearful>(inner, stops);
                  };
                  altered.act = [stops](const Errand& errand, const Acting& act) {
                    std::stop_source& message = (*stops)[errand.job.id] = std::stop_source();
                    return act_while_hidden(errand, act, message);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
