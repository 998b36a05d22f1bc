// schedule pause, schedule resume, schedule remove: they differ in one call.
#include <fmt/format.h>

#include <iostream>

#include "engine/schedule.h"
#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

struct Change {
  std::string_view name, summary, footer, done;
  Status (engine::Schedules::*make)(const std::string& name);
};

class ScheduleChanging final : public Command {
 public:
  explicit ScheduleChanging(Change change) : change_(change) {}

  std::string_view name() const override { return change_.name; }
  std::string_view summary() const override { return change_.summary; }
  std::string_view footer() const override { return change_.footer; }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.words("NAME", names_, "The schedules");
  }

  int run(const Program&) override {
    if (names_.empty())
      return wrong_usage(fmt::format("{} needs a schedule: `assay queue {} NAME`", name(), name()));
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    engine::Schedules schedules(place->runtime().clock(), place->session());
    for (const std::string& name : names_) {
      if (Status made = (schedules.*change_.make)(name); !made) return told(made.error());
      std::cout << fmt::format("{} {}\n", text::printable(name), change_.done) << std::flush;
    }
    return 0;
  }

 private:
  const Change change_;
  PlaceArguments place_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Command> schedule_pause() {
  return std::make_unique<ScheduleChanging>(
      Change{"schedule pause", "Have a schedule make no jobs",
             "Minutes that pass meanwhile never make one.\n\n"
             "Examples:\n  assay queue schedule pause nightly",
             "paused", &engine::Schedules::pause});
}

std::unique_ptr<Command> schedule_resume() {
  return std::make_unique<ScheduleChanging>(Change{
      "schedule resume", "Have a schedule make jobs again",
      "Examples:\n  assay queue schedule resume nightly", "resumed", &engine::Schedules::resume});
}

std::unique_ptr<Command> schedule_remove() {
  return std::make_unique<ScheduleChanging>(Change{
      "schedule remove", "Forget a schedule; jobs that it made stay",
      "Examples:\n  assay queue schedule remove nightly", "removed", &engine::Schedules::remove});
}

}  // namespace assay::cli::queue
