#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/flow_shown.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/shown.h"
#include "harness/cli/table.h"
#include "harness/cli/usage.h"

namespace assay::cli::queue {
namespace {

class FlowListing final : public Command {
 public:
  std::string_view name() const override { return "flow list"; }
  std::string_view summary() const override { return "List flows"; }
  std::string_view footer() const override {
    return "Examples:\n  assay queue flow list\n  assay queue flow list --json";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.option("--limit", "N", limit_, "At most so many (default: 50)");
    takes.flag("--json", json_, "As JSON");
  }

  int run(const Program&) override {
    const auto limit = number_from(limit_.value_or("50"), "--limit", {1, 10'000'000});
    if (!limit) return wrong_usage(limit.error().message);
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    auto flows = engine::Flows::make(place->runtime(), place->driver(), {.name = "flow list"});
    if (!flows) return told(flows.error());
    std::vector<engine::FlowSummary> all;
    std::optional<std::string> after;
    do {
      auto page = (*flows)->list(after);
      if (!page) return told(page.error());
      for (auto& flow : page->flows)
        if (all.size() < *limit) all.push_back(std::move(flow));
      after = page->after;
    } while (after && all.size() < *limit);
    tell(all, after.has_value(), place->now());
    return 0;
  }

 private:
  void tell(const std::vector<engine::FlowSummary>& flows, bool is_more, Instant now) const {
    std::vector<std::string> objects;
    std::vector<std::vector<std::string>> rows;
    for (const auto& flow : flows) {
      objects.push_back(summary_json(flow));
      rows.push_back({flow.id, std::to_string(flow.steps),
                      !flow.is_whole ? "being submitted"
                      : flow.is_open ? "open"
                                     : "ended",
                      std::string(name_of(flow.on_failure)), away_text(flow.submitted_at - now)});
    }
    if (json_)
      std::cout << array_json(objects);
    else if (rows.empty())
      std::cout << "no flows\n";
    else
      std::cout << aligned({"id", "steps", "is", "on failure", "submitted"}, rows, 140);
    if (is_more && !json_)
      std::cout << fmt::format("the first {}; there are more: --limit N\n", rows.size());
    std::cout << std::flush;
  }

  PlaceArguments place_;
  std::optional<std::string> limit_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> flow_list() { return std::make_unique<FlowListing>(); }

}  // namespace assay::cli::queue
