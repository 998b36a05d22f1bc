#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

// Both: they differ in a word.
class Pausing final : public Command {
 public:
  explicit Pausing(bool pauses) : pauses_(pauses) {}

  std::string_view name() const override { return pauses_ ? "pause" : "resume"; }
  std::string_view summary() const override {
    return pauses_ ? "Have nobody claim from a queue" : "Let jobs of a queue be claimed again";
  }
  std::string_view footer() const override {
    return pauses_ ? "Jobs that run go on; new ones are taken, and wait.\n\n"
                     "Examples:\n  assay queue pause mail"
                   : "Examples:\n  assay queue resume mail";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.words("QUEUE", queues_, "The queues");
  }

  int run(const Program&) override {
    if (queues_.empty())
      return wrong_usage(fmt::format("{} needs a queue: `assay queue {} default`", name(), name()));
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    if (const auto known = place->queues(queues_); !known) return told(known.error());
    for (const std::string& queue : queues_) {
      const Status done = pauses_ ? place->session().pause(place->now(), {queue})
                                  : place->session().resume(place->now(), {queue});
      if (!done) return told(done.error());
      std::cout << fmt::format("{} {}\n", text::printable(queue), pauses_ ? "paused" : "resumed")
                << std::flush;
    }
    return 0;
  }

 private:
  const bool pauses_;
  PlaceArguments place_;
  std::vector<std::string> queues_;
};

}  // namespace

std::unique_ptr<Command> pause() { return std::make_unique<Pausing>(true); }
std::unique_ptr<Command> resume() { return std::make_unique<Pausing>(false); }

}  // namespace assay::cli::queue
