#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/shown.h"
#include "harness/cli/table.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

const std::vector<std::string> state_names{"scheduled", "ready", "leased",
                                           "done",      "dead",  "cancelled"};

class Listing final : public Command {
 public:
  std::string_view name() const override { return "list"; }
  std::string_view summary() const override { return "List jobs"; }
  std::string_view footer() const override {
    return "Examples:\n"
           "  assay queue list\n"
           "  assay queue list --state scheduled --queue mail --all\n"
           "  assay queue list --json | jq '.[].id'";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.options("--queue,-q", "NAME", queues_,
                  "Of this queue; as often as needed (default: all that are known)");
    takes.option("--state,-s", "STATE", state_,
                 "In this state: scheduled, ready, leased, done, dead or cancelled");
    takes.option("--limit", "N", limit_, "At most so many (default: 50)");
    takes.flag("--all", all_, "However many there are");
    takes.flag("--json", json_, "As JSON, with every field");
  }

  int run(const Program&) override {
    std::optional<JobState> state;
    if (state_ && !(state = job_state_from(*state_)))
      return wrong_usage(
          unknown("state", *state_, state_names, "see `assay queue list --help`").message);
    const auto limit = number_from(limit_.value_or("50"), "--limit", {1, 10'000'000});
    if (!limit) return wrong_usage(limit.error().message);
    if (limit_ && all_) return wrong_usage("--limit and --all contradict each other");
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    const auto queues = place->queues(queues_);
    if (!queues) return told(queues.error());
    if (const Status read = look(*place, *queues, state, all_ ? UINT64_MAX : *limit); !read)
      return told(read.error());
    tell();
    return 0;
  }

 private:
  Status look(Place& place, const std::vector<std::string>& queues, std::optional<JobState> state,
              std::uint64_t limit) {
    const Instant now = place.now();
    for (const std::string& queue : queues) {
      const Status read = place.admin().each_job(queue, state, [&](const Job& job) {
        if (shown_ == limit) {
          is_more_ = true;
          return false;
        }
        ++shown_;
        json_ ? objects_.push_back(job_json(job)) : add_row(job, now);
        return true;
      });
      if (!read) return read;
      if (is_more_) break;
    }
    return Done{};
  }

  void add_row(const Job& job, Instant now) {
    const bool waits = job.state == JobState::scheduled && job.run_at;
    rows_.push_back({brief(job.id, 36), brief(job.queue, 20), brief(job.type, 20),
                     std::string(name_of(job.state)), std::to_string(job.attempts),
                     waits            ? away_text(*job.run_at - now)
                     : job.created_at ? away_text(*job.created_at - now)
                                      : "",
                     brief(job.last_error ? "error: " + *job.last_error : job.payload, 60)});
  }

  void tell() {
    if (json_) {
      std::cout << array_json(objects_) << std::flush;
    } else if (rows_.empty()) {
      std::cout << "no jobs\n" << std::flush;
    } else {
      std::cout << aligned({"id", "queue", "type", "state", "tries", "when", "error, or payload"},
                           rows_, 140);
      if (is_more_)
        std::cout << fmt::format("the first {}; there are more: --limit N, or --all\n", shown_);
      std::cout << std::flush;
    }
  }

  PlaceArguments place_;
  std::vector<std::string> queues_;
  std::optional<std::string> state_, limit_;
  bool all_ = false, json_ = false;
  std::uint64_t shown_ = 0;
  bool is_more_ = false;
  std::vector<std::string> objects_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::unique_ptr<Command> list() { return std::make_unique<Listing>(); }

}  // namespace assay::cli::queue
