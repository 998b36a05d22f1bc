#include "harness/run/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/exploring.h"
#include "harness/cli/interrupts.h"
#include "harness/cli/named_driver.h"
#include "harness/cli/scratch.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/contract/version.h"
#include "harness/run/parts.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

Result<SweepOptions> options_from(const SweepArguments& arguments, const NamedDriver& driver) {
  SweepOptions options;
  options.driver = driver.name;
  options.go_on = arguments.go_on;
  options.seed = fresh_seed() % 1'000'000'000'000;
  if (arguments.seed) {
    const Result<std::uint64_t> seed = number_from(*arguments.seed, "--seed", {});
    if (!seed) return seed.error();
    options.seed = *seed;
  }
  if (arguments.budget) {
    const Result<double> budget = seconds_from(*arguments.budget);
    if (!budget) return invalid("--budget: " + budget.error().message);
    options.seconds = *budget;
  }
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

void tell_head(const SweepOptions& options, const std::string& backend) {
  std::cout << fmt::format("assay {} sweep {}\n  profile  {}\n  plan     {}\n  seed     {}\n",
                           version(), text::printable(options.driver), options.profile.name,
                           text::printable(options.plan.name), options.seed);
  if (!backend.empty()) std::cout << fmt::format("  backend  {}\n", text::printable(backend));
  std::cout << std::flush;
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

void tell(const SweepReport& report, const Program& program, const std::string& replay_options) {
  std::cout << fmt::format("  gates    {}\n",
                           text::printable(turns(report.interleaving, report.why_not_closer)));
  for (const ExploredRule& rule : report.rules)
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
  for (const ExploredRule& rule : report.rules)
    std::cout << fmt::format("{} replay {}{}\n", program.name, rule.report.token, replay_options);
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
                             {"rules", nlohmann::ordered_json::array()},
                             {"exit_status", exit_status_of(report)}};
  if (report.driver_trouble) all["driver_trouble"] = *report.driver_trouble;
  for (const ExploredRule& rule : report.rules)
    all["rules"].push_back({{"id", rule.report.id},
                            {"first", rule.first},
                            {"violations", rule.violations},
                            {"reason", rule.report.reason},
                            {"story", rule.report.story},
                            {"tier", rule.report.tier},
                            {"token", rule.report.token}});
  std::cout << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

// On a terminal, one line that is written over.
SweepListener listener() {
  SweepListener listener;
  const char* ci = std::getenv("CI");
  if (!isatty(STDERR_FILENO) || (ci && *ci)) return listener;
  listener.progress = [last = 0.0](const SweepReport& report) mutable {
    if (report.seconds - last < 0.2) return;
    last = report.seconds;
    std::cerr << fmt::format("\r\x1b[K{} of {} cuts, {} convict, {:.0f} s",
                             text::grouped(report.runs), text::grouped(report.points),
                             text::grouped(report.violations), report.seconds)
              << std::flush;
  };
  listener.shrinking = [](const std::string& rule) {
    std::cerr << "\r\x1b[Kmaking the witness of " << rule << " smaller" << std::flush;
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

  block_interrupts();
  Result<std::unique_ptr<Scratch>> scratch = Scratch::make();
  if (!scratch) return trouble(scratch.error().message);
  std::stop_source stop;
  RunStore store;
  {
    const Interrupts interrupts([&] { stop.request_stop(); }, [&] { (*scratch)->remove(); });
    auto found = store_for(driver->info, wanted_by(*driver), (*scratch)->path(), stop.get_token());
    if (!found) return trouble(found.error().message);
    store = std::move(*found);
  }
  const Interrupts interrupts([&] { stop.request_stop(); },
                              [&] {
                                store.end();
                                (*scratch)->remove();
                              });
  options->driver_url = store.url;
  options->scratch = (*scratch)->path();
  if (!arguments.json && !arguments.quiet) tell_head(*options, store.described);
  const SweepListener heard = listener();
  const SweepReport report =
      sweep(driver->info, *options, built_in_parts(), heard, stop.get_token());
  if (isatty(STDERR_FILENO)) std::cerr << "\r\x1b[K" << std::flush;
  if (report.own_trouble && report.rules.empty()) return trouble(*report.own_trouble);
  if (arguments.json)
    tell_json(*options, report);
  else
    tell(report, program, replay_options(arguments.how));
  return exit_status_of(report);
}

}  // namespace assay::cli
