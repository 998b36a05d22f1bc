#include "harness/run/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/cli/catalogue.h"
#include "harness/cli/exploring.h"
#include "harness/cli/hunting.h"
#include "harness/cli/usage.h"
#include "harness/run/parts.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

Result<SweepOptions> options_from(const SweepArguments& arguments, const NamedDriver& driver) {
  SweepOptions options;
  options.driver = driver.name;
  options.go_on = arguments.go_on;
  if (Status read = read_numbers(arguments.seed, arguments.budget, "--budget", options); !read)
    return read.error();
  Result<Profile> profile = profile_of(driver, arguments.profile);
  if (!profile) return profile.error();
  options.profile = std::move(*profile);
  if (options.profile.in_real_time())
    return invalid(
        "the driver's clock cannot be moved (no virtual_time), so that an account of every job "
        "would take as long as its leases: there is nothing to sweep");
  Result<Plan> plan =
      plan_named(arguments.plan, options.profile, scenarios_under(options.profile, false));
  if (!plan) return plan.error();
  if (has_cuts(*plan))
    return invalid(fmt::format("in the plan {} a client is cut off already", plan->name));
  // Who is faster must not decide what is cut.
  if (is_free(*plan) && !plan->schedule)
    plan->schedule = Schedule{.kind = Schedule::Kind::choices, .choices = {}};
  options.plan = std::move(*plan);
  return options;
}

void tell_about(const SweepOptions& options, const std::string& backend) {
  tell_head("sweep", options, options.plan.name, backend);
}

std::string summary(const SweepReport& report) {
  std::vector<std::string> parts;
  for (const auto& [operation, points] : report.points_of)
    parts.push_back(fmt::format("{} {}", operation, points));
  std::string text =
      fmt::format("{}, {}: {} of {} cuts made ({}), {:.1f} s", text::plural(report.calls, "call"),
                  text::plural(report.gates, "gate"), text::grouped(report.runs),
                  text::grouped(report.points), fmt::join(parts, ", "), report.seconds);
  if (report.violations > 0)
    return text + fmt::format("; {} convict", text::grouped(report.violations));
  return text +
         (report.whole() ? "; every job is accounted for in each of them" : "; no violation");
}

void tell(const SweepReport& report, const Program& program, const DriverArguments& how) {
  std::cout << fmt::format("  gates    {}\n",
                           text::printable(turns(report.interleaving, report.why_not_closer)));
  for (const HuntedRule& rule : report.rules)
    tell_rule(rule, rule.first == 0
                        ? std::string("without any cut")
                        : fmt::format("by cut {}, and by {} of {} in all", rule.first,
                                      text::grouped(rule.violations), text::grouped(report.runs)));
  if (report.driver_trouble)
    std::cout << text::wrapped(text::printable("ERROR: " + *report.driver_trouble), 100, 0, 2);
  if (report.missed > 0)
    std::cout << fmt::format(
        "in {} runs the client never came to the point where it was to be cut off\n",
        text::grouped(report.missed));
  if (report.undecided > 0)
    std::cout << fmt::format("in {} runs a job's calls had too many orders to be searched\n",
                             text::grouped(report.undecided));
  std::cout << "\n" << text::wrapped(summary(report), 100, 0, 2);
  tell_replays(report, program, how);
}

void tell_json(const SweepOptions& options, const SweepReport& report) {
  nlohmann::ordered_json all{{"driver", options.driver},
                             {"profile", options.profile.name},
                             {"plan", options.plan.name},
                             {"seed", options.seed},
                             {"gates_at", turns(report.interleaving, report.why_not_closer)},
                             {"calls", report.calls},
                             {"gates", report.gates},
                             {"points", report.points},
                             {"points_of", report.points_of},
                             {"runs", report.runs},
                             {"violations", report.violations},
                             {"missed", report.missed},
                             {"undecided", report.undecided},
                             {"seconds", report.seconds},
                             {"rules", nlohmann::ordered_json::parse(rules_json(report))},
                             {"exit_status", exit_status_of(report)}};
  if (report.driver_trouble) all["driver_trouble"] = *report.driver_trouble;
  std::cout << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

SweepListener listener(LiveLine& line) {
  SweepListener listener;
  listener.progress = [&](const SweepReport& report) {
    if (!line.is_due(report.seconds)) return;
    line.draw(fmt::format("{} of {} cuts, {} convict, {:.0f} s", text::grouped(report.runs),
                          text::grouped(report.points), text::grouped(report.violations),
                          report.seconds));
  };
  listener.shrinking = [&](const std::string& rule) {
    line.draw(fmt::format("making the witness of {} smaller", rule));
  };
  return listener;
}

}  // namespace

int sweep_command(const SweepArguments& arguments, const Program& program) {
  if (arguments.driver.empty()) return wrong_usage("sweep needs a driver: `assay sweep memory`");
  const Result<NamedDriver> driver =
      driver_from(arguments.driver, arguments.how, arguments.profile.has_value());
  if (!driver) return wrong_usage(driver.error().message);
  Result<SweepOptions> options = options_from(arguments, *driver);
  if (!options) return wrong_usage(options.error().message);

  return on_stage(*driver, *options, [&](const std::string& backend, std::stop_token stop) {
    if (!arguments.json && !arguments.quiet) tell_about(*options, backend);
    LiveLine line;
    const SweepListener heard = listener(line);
    const SweepReport report = sweep(driver->info, *options, built_in_parts(), heard, stop);
    line.clear();
    if (report.own_trouble && report.rules.empty()) return trouble(*report.own_trouble);
    if (arguments.json)
      tell_json(*options, report);
    else
      tell(report, program, arguments.how);
    return exit_status_of(report);
  });
}

}  // namespace assay::cli
