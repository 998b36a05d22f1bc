#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/shown.h"
#include "harness/cli/table.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

constexpr JobState states[] = {JobState::scheduled, JobState::ready, JobState::leased,
                               JobState::done,      JobState::dead,  JobState::cancelled};

class Counting final : public Command {
 public:
  std::string_view name() const override { return "stats"; }
  std::string_view summary() const override { return "Count jobs by queue and state"; }
  std::string_view footer() const override {
    return "Counted by reading every job: on a queue of a million that takes a while. Queues are\n"
           "known that were used by `assay queue` and `enqueue`; name others by --queue.\n\n"
           "Examples:\n  assay queue stats\n  assay queue stats --queue mail --json";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.options("--queue,-q", "NAME", queues_,
                  "Of this queue; as often as needed (default: all that are known)");
    takes.flag("--json", json_, "As JSON");
  }

  int run(const Program&) override {
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    const auto queues = place->queues(queues_);
    if (!queues) return told(queues.error());
    std::vector<std::string> objects;
    std::vector<std::vector<std::string>> rows;
    for (const std::string& queue : *queues) {
      const auto stats = place->admin().stats(queue);
      if (!stats) return told(stats.error());
      objects.push_back(stats_json(queue, *stats));
      rows.push_back(row_of(queue, *stats, place->now()));
    }
    if (json_)
      std::cout << array_json(objects);
    else if (rows.empty())
      std::cout << "no queues\n";
    else
      std::cout << aligned({"queue", "scheduled", "ready", "leased", "done", "dead", "cancelled",
                            "oldest ready", "next due"},
                           rows, 140);
    std::cout << std::flush;
    return 0;
  }

 private:
  static std::vector<std::string> row_of(const std::string& queue, const engine::QueueStats& stats,
                                         Instant now) {
    std::vector<std::string> row{brief(queue, 30)};
    for (const JobState state : states)
      row.push_back(text::grouped(static_cast<std::uint64_t>(stats.of(state))));
    row.push_back(stats.oldest_ready ? away_text(*stats.oldest_ready - now) : "-");
    row.push_back(stats.next_scheduled ? away_text(*stats.next_scheduled - now) : "-");
    return row;
  }

  PlaceArguments place_;
  std::vector<std::string> queues_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> stats() { return std::make_unique<Counting>(); }

}  // namespace assay::cli::queue
