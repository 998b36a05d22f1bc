#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

class DeadRequeuing final : public Command {
 public:
  std::string_view name() const override { return "dead requeue"; }
  std::string_view summary() const override { return "Give dead jobs all of their runs anew"; }
  std::string_view footer() const override {
    return "Examples:\n"
           "  assay queue dead requeue 6f0c1e...\n"
           "  assay queue dead requeue --all --queue mail";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.words("ID", ids_, "The jobs");
    takes.flag("--all", all_, "All that are dead");
    takes.options("--queue,-q", "NAME", queues_,
                  "With --all: of this queue; as often as needed (default: all that are known)");
  }

  int run(const Program&) override {
    if (ids_.empty() != all_)
      return wrong_usage("dead requeue needs jobs, or --all: `assay queue dead requeue ID`");
    if (!all_ && !queues_.empty()) return wrong_usage("--queue is for --all");
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    if (all_)
      if (const Status found = find(*place); !found) return told(found.error());
    for (const std::string& id : ids_) {
      const auto again = place->session().requeue(place->now(), {id, std::nullopt, true});
      if (!again)
        status = std::max(status, told(again.error()));
      else
        std::cout << text::printable(again->job_id) << "\n" << std::flush;
    }
    return status;
  }

 private:
  // Before any is moved, so that none is met twice.
  Status find(Place& place) {
    const auto queues = place.queues(queues_);
    if (!queues) return queues.error();
    for (const std::string& queue : *queues) {
      const Status read = place.admin().each_dead(queue, [&](const DeadEntry& entry) {
        ids_.push_back(entry.job_id);
        return true;
      });
      if (!read) return read;
    }
    return Done{};
  }

  PlaceArguments place_;
  std::vector<std::string> ids_, queues_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> dead_requeue() { return std::make_unique<DeadRequeuing>(); }

}  // namespace assay::cli::queue
