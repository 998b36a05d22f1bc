#include "harness/run/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/cli/catalogue.h"
#include "harness/cli/exploring.h"
#include "harness/cli/hunting.h"
#include "harness/cli/usage.h"
#include "harness/run/parts.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

Status read_them(const ExploreArguments& arguments, ExploreOptions& options) {
  const auto number = [](const std::optional<std::string>& text, const char* what, Range range,
                         auto& to) -> Status {
    if (!text) return Done{};
    const Result<std::uint64_t> read = number_from(*text, what, range);
    if (!read) return read.error();
    to = static_cast<std::remove_cvref_t<decltype(to)>>(*read);
    return Done{};
  };
  std::uint64_t depth = 0;
  options.schedules = 10'000;
  options.jobs = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
  for (const Status& read :
       {read_numbers(arguments.seed, arguments.budget, "--budget", options),
        number(arguments.schedules, "--schedules", {1, 1'000'000'000}, options.schedules),
        number(arguments.depth, "--depth", {1, 100}, depth),
        number(arguments.jobs, "--jobs", {1, 256}, options.jobs)})
    if (!read) return read.error();
  if (arguments.depth) options.depth = static_cast<int>(depth);
  return Done{};
}

Result<ExploreOptions> options_from(const ExploreArguments& arguments, const NamedDriver& driver) {
  ExploreOptions options;
  options.driver = driver.name;
  options.go_on = arguments.go_on;
  const auto by = explore_by_from(arguments.strategy);
  if (!by)
    return unknown("strategy", arguments.strategy, {"mix", "random", "pct", "exhaustive"},
                   "see `assay explore --help`");
  options.by = *by;
  if (arguments.depth && *by != ExploreBy::pct && *by != ExploreBy::mix)
    return invalid("--depth is for pct; leave it out, or take --strategy pct");
  if (Status read = read_them(arguments, options); !read) return read.error();
  if (driver.clock && arguments.jobs && options.jobs > 1)
    return invalid(
        "--jobs makes no sense with --store: all schedules live by the clock of one server");
  // Who is in a process of its own may not be meant for company, unless somebody says so.
  const bool is_alone = driver.clock || (driver.claims_itself && !arguments.jobs);
  if (is_alone || *by == ExploreBy::exhaustive) options.jobs = 1;
  Result<Profile> profile = profile_of(driver, arguments.profile);
  if (!profile) return profile.error();
  options.profile = std::move(*profile);
  if (options.profile.in_real_time())
    return invalid(
        "the driver's clock cannot be moved (no virtual_time), so that no two runs are alike: "
        "there "
        "is nothing to explore; `assay certify --level concurrency` runs it in real time");
  if (!arguments.plan)
    return invalid(
        fmt::format("explore needs a plan: --plan {}, or another scenario, file or token",
                    scenarios_under(options.profile, true).front()));
  Result<Plan> plan =
      plan_named(*arguments.plan, options.profile, scenarios_under(options.profile, true));
  if (!plan) return plan.error();
  if (!is_free(*plan))
    return invalid(
        fmt::format("in the plan {} one client moves at a time: nothing is left to "
                    "explore; its steps would have to be `free`",
                    plan->name));
  if (plan->schedule && plan->schedule->kind != Schedule::Kind::choices) plan->schedule.reset();
  options.plan = std::move(*plan);
  return options;
}

// The least chance of a run by pct to find a bug of its depth.
std::string bound(const ExploreOptions& options, const ExploreReport& report) {
  if (options.by != ExploreBy::pct && options.by != ExploreBy::mix) return "";
  const int depth = options.depth.value_or(3);
  const double chance =
      1 / (static_cast<double>(std::max<std::size_t>(report.clients, 1)) *
           std::pow(static_cast<double>(std::max<std::size_t>(report.moves, 1)), depth - 1));
  return fmt::format(
      "  bound    a run by pct finds a bug of depth {} with a chance of at least {:.2g} "
      "({} clients, {} moves)\n",
      depth, chance, report.clients, report.moves);
}

void tell_about(const ExploreOptions& options, const std::string& backend) {
  tell_head("explore", options, options.plan.name, backend);
  std::cout << fmt::format("  options  {}, at most {} schedules, {:g} s, {} at a time\n",
                           name_of(options.by), text::grouped(options.schedules), options.seconds,
                           options.jobs)
            << std::flush;
}

std::string summary(const ExploreReport& report) {
  std::string text =
      fmt::format("{} schedules, {} of them different, {:.1f} s", text::grouped(report.schedules),
                  text::grouped(report.distinct), report.seconds);
  if (report.violations > 0)
    return text + fmt::format("; {} convict", text::grouped(report.violations));
  if (report.every) return text + "; these are all there are: no violation within this scope";
  if (report.progress > 0)
    text += fmt::format("; about {:.2g} % of all there are", 100 * report.progress);
  return text + "; no violation";
}

void tell(const ExploreOptions& options, const ExploreReport& report, const Program& program,
          const DriverArguments& how) {
  std::cout << fmt::format("  gates    {}\n",
                           text::printable(turns(report.interleaving, report.why_not_closer)));
  std::cout << bound(options, report);
  for (const HuntedRule& rule : report.rules)
    tell_rule(rule, fmt::format("by schedule {}, and by {} of {} in all", rule.first,
                                text::grouped(rule.violations), text::grouped(report.schedules)));
  if (report.driver_trouble)
    std::cout << text::wrapped(text::printable("ERROR: " + *report.driver_trouble), 100, 0, 2);
  if (report.lost_sight > 0)
    std::cout << fmt::format(
        "in {} schedules a client came to no gate for so long that the others went on, or asked "
        "its "
        "store for something outside of its calls: there, who is faster decided too\n",
        text::grouped(report.lost_sight));
  if (report.undecided > 0)
    std::cout << fmt::format("in {} schedules a job's calls had too many orders to be searched\n",
                             text::grouped(report.undecided));
  std::cout << "\n" << summary(report) << "\n";
  tell_replays(report, program, how);
}

void tell_json(const ExploreOptions& options, const ExploreReport& report) {
  nlohmann::ordered_json all{{"driver", options.driver},
                             {"profile", options.profile.name},
                             {"plan", options.plan.name},
                             {"seed", options.seed},
                             {"strategy", name_of(options.by)},
                             {"schedules", report.schedules},
                             {"distinct", report.distinct},
                             {"violations", report.violations},
                             {"undecided", report.undecided},
                             {"lost_sight", report.lost_sight},
                             {"every", report.every},
                             {"moves", report.moves},
                             {"clients", report.clients},
                             {"gates", turns(report.interleaving, report.why_not_closer)},
                             {"seconds", report.seconds},
                             {"rules", nlohmann::ordered_json::parse(rules_json(report))},
                             {"exit_status", exit_status_of(report)}};
  if (report.driver_trouble) all["driver_trouble"] = *report.driver_trouble;
  std::cout << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

ExploreListener listener(LiveLine& line) {
  ExploreListener listener;
  listener.progress = [&](const ExploreReport& report) {
    if (!line.is_due(report.seconds)) return;
    line.draw(fmt::format(
        "{} schedules, {} convict, {:.0f} s{}", text::grouped(report.schedules),
        text::grouped(report.violations), report.seconds,
        report.progress > 0 ? fmt::format(", about {:.1f} % of all", 100 * report.progress) : ""));
  };
  listener.shrinking = [&](const std::string& rule) {
    line.draw(fmt::format("making the witness of {} smaller", rule));
  };
  return listener;
}

}  // namespace

int explore_command(const ExploreArguments& arguments, const Program& program) {
  if (arguments.driver.empty())
    return wrong_usage("explore needs a driver: `assay explore memory --plan SCENARIO`");
  const Result<NamedDriver> driver =
      driver_from(arguments.driver, arguments.how, arguments.profile.has_value());
  if (!driver) return wrong_usage(driver.error().message);
  Result<ExploreOptions> options = options_from(arguments, *driver);
  if (!options) return wrong_usage(options.error().message);

  return on_stage(*driver, *options, [&](const std::string& backend, std::stop_token stop) {
    if (!arguments.json && !arguments.quiet) tell_about(*options, backend);
    LiveLine line;
    const ExploreListener heard = listener(line);
    const ExploreReport report = explore(driver->info, *options, built_in_parts(), heard, stop);
    line.clear();
    if (report.own_trouble && report.rules.empty()) return trouble(*report.own_trouble);
    if (arguments.json)
      tell_json(*options, report);
    else
      tell(*options, report, program, arguments.how);
    return exit_status_of(report);
  });
}

}  // namespace assay::cli
