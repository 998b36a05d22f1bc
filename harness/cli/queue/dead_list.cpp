#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/shown.h"
#include "harness/cli/table.h"
#include "harness/cli/usage.h"

namespace assay::cli::queue {
namespace {

class DeadListing final : public Command {
 public:
  std::string_view name() const override { return "dead list"; }
  std::string_view summary() const override { return "List dead jobs, and what they died of"; }
  std::string_view footer() const override {
    return "Examples:\n  assay queue dead list\n  assay queue dead list --queue mail --json";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.options("--queue,-q", "NAME", queues_,
                  "Of this queue; as often as needed (default: all that are known)");
    takes.option("--limit", "N", limit_, "At most so many (default: 50)");
    takes.flag("--all", all_, "However many there are");
    takes.flag("--json", json_, "As JSON, with every field");
  }

  int run(const Program&) override {
    const auto limit = number_from(limit_.value_or("50"), "--limit", {1, 10'000'000});
    if (!limit) return wrong_usage(limit.error().message);
    if (limit_ && all_) return wrong_usage("--limit and --all contradict each other");
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    const auto queues = place->queues(queues_);
    if (!queues) return told(queues.error());
    const std::uint64_t most = all_ ? UINT64_MAX : *limit;
    bool is_more = false;
    for (const std::string& queue : *queues) {
      const Status read = place->admin().each_dead(queue, [&](const DeadEntry& entry) {
        is_more = rows_.size() + objects_.size() == most;
        if (!is_more) add(entry, place->now());
        return !is_more;
      });
      if (!read) return told(read.error());
      if (is_more) break;
    }
    tell(is_more);
    return 0;
  }

 private:
  void add(const DeadEntry& entry, Instant now) {
    if (json_) return objects_.push_back(dead_json(entry));
    rows_.push_back({brief(entry.job_id, 36), brief(entry.job.queue, 20), brief(entry.job.type, 20),
                     away_text(entry.at - now), std::to_string(entry.job.attempts),
                     brief(entry.reason, 24), brief(entry.error.value_or(""), 80)});
  }

  void tell(bool is_more) {
    if (json_) {
      std::cout << array_json(objects_);
    } else if (rows_.empty()) {
      std::cout << "nobody is dead\n";
    } else {
      std::cout << aligned({"id", "queue", "type", "died", "tries", "reason", "error"}, rows_, 140);
      if (is_more)
        std::cout << fmt::format("the first {}; there are more: --limit N, or --all\n",
                                 rows_.size());
    }
    std::cout << std::flush;
  }

  PlaceArguments place_;
  std::vector<std::string> queues_;
  std::optional<std::string> limit_;
  bool all_ = false, json_ = false;
  std::vector<std::string> objects_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::unique_ptr<Command> dead_list() { return std::make_unique<DeadListing>(); }

}  // namespace assay::cli::queue
