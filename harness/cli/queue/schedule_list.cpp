#include <iostream>

#include "engine/schedule.h"
#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/shown.h"
#include "harness/cli/table.h"
#include "harness/contract/detail/json_writer.h"

namespace assay::cli::queue {
namespace {

std::string json_of(const engine::ScheduleView& view) {
  std::string out;
  assay::detail::JsonObject object(out);
  object.text("name", view.schedule.name);
  object.text("cron", view.schedule.cron);
  object.text("queue", view.schedule.queue);
  object.text("type", view.schedule.type);
  object.text("payload", view.schedule.payload);
  object.text("missed", name_of(view.schedule.missed));
  object.number("catch_up", view.schedule.catch_up);
  object.number("limit", view.schedule.limit);
  object.duration("timeout_ms", view.schedule.timeout);
  object.flag("paused", view.is_paused);
  object.instant("next_ms", view.next);
  object.instant("last_ms", view.last);
  object.number("fired", view.fired);
  object.text("last_error", view.last_error);
  object.end();
  return out;
}

class ScheduleListing final : public Command {
 public:
  std::string_view name() const override { return "schedule list"; }
  std::string_view summary() const override { return "List schedules"; }
  std::string_view footer() const override {
    return "Examples:\n  assay queue schedule list\n  assay queue schedule list --json";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.flag("--json", json_, "As JSON");
  }

  int run(const Program&) override {
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    engine::Schedules schedules(place->runtime().clock(), place->session());
    std::optional<std::string> after;
    do {
      const auto page = schedules.list(after);
      if (!page) return told(page.error());
      for (const auto& view : page->schedules) add(view, place->now());
      after = page->after;
    } while (after);
    if (json_)
      std::cout << array_json(objects_);
    else if (rows_.empty())
      std::cout << "no schedules\n";
    else
      std::cout << aligned({"name", "cron", "queue", "type", "missed", "next", "fired", "error"},
                           rows_, 140);
    std::cout << std::flush;
    return 0;
  }

 private:
  void add(const engine::ScheduleView& view, Instant now) {
    if (json_) return objects_.push_back(json_of(view));
    const std::string next = view.is_paused ? "paused"
                             : view.next    ? away_text(*view.next - now)
                                            : "never";
    rows_.push_back({brief(view.schedule.name, 30), brief(view.schedule.cron, 30),
                     brief(view.schedule.queue, 20), brief(view.schedule.type, 20),
                     std::string(name_of(view.schedule.missed)), next, std::to_string(view.fired),
                     brief(view.last_error.value_or(""), 60)});
  }

  PlaceArguments place_;
  bool json_ = false;
  std::vector<std::string> objects_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::unique_ptr<Command> schedule_list() { return std::make_unique<ScheduleListing>(); }

}  // namespace assay::cli::queue
