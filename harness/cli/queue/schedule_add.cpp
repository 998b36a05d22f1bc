#include <fmt/format.h>

#include <iostream>

#include "engine/schedule.h"
#include "harness/cli/queue/all.h"
#include "harness/cli/queue/lengths.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/shown.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

class ScheduleAdding final : public Command {
 public:
  std::string_view name() const override { return "schedule add"; }
  std::string_view summary() const override {
    return "Have a job made again and again, or change how";
  }
  std::string_view footer() const override {
    return "CRON has five fields, in UTC: minute, hour, day of the month, month, day of the week;\n"
           "or is @hourly, @daily, @weekly, @monthly, @yearly. Each minute that fits makes one "
           "job,\n"
           "however many workers there are. --missed says what becomes of minutes at which no\n"
           "worker ran: `latest` makes one job of them, `skip` none, `catch_up` one for each of "
           "the\n"
           "last --catch-up. Schedules are kept by whoever runs `assay queue work`.\n\n"
           "Examples:\n"
           "  assay queue schedule add nightly '30 3 * * *' report\n"
           "  assay queue schedule add tick '*/5 * * * *' echo tick --missed skip";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.word("NAME", name_, "What the schedule is called");
    takes.word("CRON", cron_, "When: '30 3 * * MON-FRI'");
    takes.word("TYPE", type_, "Of the jobs");
    takes.word("PAYLOAD", payload_, "What their handler gets (default: nothing)");
    takes.option("--queue,-q", "NAME", queue_, "Into this queue (default: default)");
    takes.option("--missed", "WHAT", missed_, "latest, skip or catch_up (default: latest)");
    takes.option("--catch-up", "N", catch_up_, "With catch_up: at most so many (default: 10)");
    takes.option("--limit", "N", limit_, "How often a job may be tried");
    takes.option("--timeout", "TIME", timeout_, "How long one run may take");
  }

  int run(const Program&) override {
    const auto schedule = this->schedule();
    if (!schedule) return wrong_usage(schedule.error().message);
    if (auto objection = engine::objection_to(*schedule)) return wrong_usage(objection->message);
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    if (Status known = place->admin().remember(schedule->queue); !known) return told(known.error());
    engine::Schedules schedules(place->runtime().clock(), place->session());
    if (Status declared = schedules.declare(*schedule); !declared) return told(declared.error());
    const auto view = schedules.get(schedule->name);
    if (!view) return told(view.error());
    std::cout << fmt::format("{}: next {}\n", text::printable(schedule->name),
                             view->next ? when_text(*view->next, place->now()) : "never")
              << std::flush;
    return 0;
  }

 private:
  Result<engine::Schedule> schedule() const {
    engine::Schedule made;
    if (!name_ || !cron_ || !type_)
      return invalid(
          "schedule add needs a name, a cron expression and a type: "
          "`assay queue schedule add nightly '30 3 * * *' report`");
    made.name = *name_;
    made.cron = *cron_;
    made.type = *type_;
    made.payload = payload_.value_or("");
    made.queue = queue_.value_or("default");
    const auto missed = engine::missed_runs_from(missed_.value_or("latest"));
    if (!missed)
      return invalid(fmt::format("--missed takes latest, skip or catch_up, not `{}`", *missed_));
    made.missed = *missed;
    const auto catch_up = number_from(catch_up_.value_or("10"), "--catch-up",
                                      {1, static_cast<std::uint64_t>(engine::most_catch_up)});
    if (!catch_up) return catch_up.error();
    made.catch_up = static_cast<std::int64_t>(*catch_up);
    if (limit_) {
      const auto limit = number_from(*limit_, "--limit", {1, 10'000});
      if (!limit) return limit.error();
      made.limit = static_cast<std::int64_t>(*limit);
    }
    const auto timeout = length_from(timeout_, "--timeout");
    if (!timeout) return timeout.error();
    made.timeout = *timeout;
    return made;
  }

  PlaceArguments place_;
  std::optional<std::string> name_, cron_, type_, payload_, queue_, missed_, catch_up_, limit_,
      timeout_;
};

}  // namespace

std::unique_ptr<Command> schedule_add() { return std::make_unique<ScheduleAdding>(); }

}  // namespace assay::cli::queue
