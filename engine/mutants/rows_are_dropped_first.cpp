// rows_are_dropped_first: a row is dropped before what it says is done.
#include "engine/mutants/all.h"
#include "engine/mutants/passing_channel.h"

namespace assay::engine::mutants {

namespace {

using Waiting = std::vector<std::pair<Channel*, JobId>>;

class Patient final : public PassingChannel {
 public:
  Patient(Channel& inner, std::shared_ptr<Waiting> waiting)
      : PassingChannel(inner), waiting_(std::move(waiting)) {}

  Status announce(const JobId& task) override {
    waiting_->emplace_back(&inner_, task);
    return Done{};
  }

 private:
  const std::shared_ptr<Waiting> waiting_;  // shared with the commits
};

}  // namespace

EngineInfo rows_are_dropped_first() {
  return mutant(
      "rows_are_dropped_first", {"OUTBOX-2"}, "a row is dropped before what it says is done", [] {
        Alterations altered;
        const auto waiting = std::make_shared<Waiting>();
        altered.channel = [waiting](Channel& inner) {
          return std::make_unique<Patient>(inner, waiting);
        };
        altered.driver.commit = [waiting](const SessionSpec&, Instant now, const Commit& commit,
                                          const Interception::NextCommit& next) {
          auto answer = next(now, commit);
          if (!commit.drops.empty())
            for (const auto& [channel, task] : std::exchange(*waiting, {}))
              static_cast<void>(channel->announce(task));
          return answer;
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
