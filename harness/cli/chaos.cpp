#include "harness/run/chaos.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "faults/all.h"
#include "harness/cli/hunting.h"
#include "harness/cli/lines.h"
#include "harness/cli/usage.h"
#include "harness/contract/clock.h"
#include "harness/run/parts.h"
#include "reports/going_on.h"
#include "reports/json.h"
#include "reports/run_folder.h"
#include "reports/terminal.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

// By its name, its family, or how its name begins: `kill` is kill_worker.
bool is_meant(const FaultInfo& fault, const std::string& word) {
  return fault.name == word || fault.family == word || fault.name.starts_with(word + "_");
}

// Those that were named, or all.
Result<std::vector<const FaultInfo*>> faults_from(const std::vector<std::string>& words) {
  std::vector<const FaultInfo*> some;
  std::vector<std::string> names;
  for (const FaultInfo& fault : all_faults()) {
    names.emplace_back(fault.name);
    const auto means_it = [&](const std::string& word) { return is_meant(fault, word); };
    if (words.empty() || std::ranges::any_of(words, means_it)) some.push_back(&fault);
  }
  for (const std::string& word : words)
    if (std::ranges::none_of(some, [&](const FaultInfo* fault) { return is_meant(*fault, word); }))
      return unknown("fault", word, names, "`assay list faults` lists them, and their families");
  return some;
}

Result<ChaosOptions> options_from(const ChaosArguments& arguments, const NamedDriver& driver) {
  ChaosOptions options;
  options.driver = driver.name;
  options.go_on = arguments.go_on;
  options.mixes = arguments.faults.empty();
  if (Status read = read_numbers(arguments.seed, arguments.time, "--for", options); !read)
    return read.error();
  if (arguments.clients) {
    const auto clients = number_from(*arguments.clients, "--clients", {2, 256});
    if (!clients) return clients.error();
    options.clients = static_cast<int>(*clients);
  }
  Result<Profile> profile = profile_of(driver, arguments.profile);
  if (!profile) return profile.error();
  options.profile = std::move(*profile);
  auto faults = faults_from(arguments.faults);
  if (!faults) return faults.error();
  options.faults = std::move(*faults);
  options.wants_disk =
      std::ranges::any_of(options.faults, [](const FaultInfo* fault) { return fault->needs_disk; });
  options.names_faults = !arguments.faults.empty();
  return options;
}

void tell_faults(const ChaosOptions& options, const ChaosReport& report) {
  const auto line = [](const char* name, const std::string& text) {
    std::cout << fmt::format("  {:<9}{}", name, text::wrapped(text, 100, 11, 0).substr(11));
  };
  line("faults", (options.mixes ? "each round some of " : "") +
                     (report.possible.empty() ? "none: what was asked for cannot befall this driver"
                                              : text::joined(report.possible, " ")));
  if (options.names_faults)
    for (const std::string& fault : report.impossible) line("without", text::printable(fault));
  std::cout << "\n" << std::flush;
}

std::string conclusion(const ChaosReport& report) {
  if (report.violations > 0)
    return fmt::format("{} convict", text::plural(report.violations, "round"));
  if (report.rounds == 0) return "nothing was tried";
  const bool is_whole = report.voided == 0 && report.undecided == 0 && !report.driver_trouble;
  return is_whole ? "every job is accounted for" : "nothing is convicted";
}

std::string summary(const ChaosReport& report) {
  return fmt::format("{}, {} calls ({} of unknown end), {:.1f} s: {}",
                     text::plural(report.rounds, "round"), text::grouped(report.operations),
                     text::grouped(report.unknown), report.seconds, conclusion(report));
}

void tell(const ChaosReport& report, const Program& program, const DriverArguments& how) {
  for (const HuntedRule& rule : report.rules)
    tell_rule(rule, fmt::format("by round {}, and by {} of {} in all", rule.first,
                                text::grouped(rule.violations), text::grouped(report.rounds)));
  if (!report.faults.empty()) std::cout << "Faults\n" << fault_lines(report.faults, 100) << "\n";
  if (report.driver_trouble)
    std::cout << text::wrapped(text::printable("ERROR: " + *report.driver_trouble), 100, 0, 2);
  if (report.voided > 0)
    std::cout << fmt::format("nothing is concluded from {}: a fault there was not made or proven\n",
                             text::plural(report.voided, "round"));
  if (report.undecided > 0)
    std::cout << fmt::format("in {} a job's calls had too many orders to be searched\n",
                             text::plural(report.undecided, "round"));
  std::cout << text::wrapped(summary(report), 100, 0, 2);
  tell_replays(report, program, how);
}

// Where one of the faults is of the network.
Result<RunLines> lines_of(const NamedDriver& driver, const ChaosOptions& options) {
  const bool uses = std::ranges::any_of(
      options.faults, [](const FaultInfo* fault) { return fault->family == "network"; });
  return uses ? lines_for(options.driver_url, driver.toxiproxy, options.scratch)
              : Result<RunLines>(RunLines{});
}

void tell_json(const ChaosOptions& options, const ChaosReport& report, const std::string& folder,
               const std::string& network) {
  nlohmann::ordered_json all{{"driver", options.driver},
                             {"profile", options.profile.name},
                             {"seed", options.seed},
                             {"clients", options.clients},
                             {"drawn_from", report.possible},
                             {"without", report.impossible},
                             {"network", nullptr},
                             {"rounds", report.rounds},
                             {"operations", report.operations},
                             {"unknown", report.unknown},
                             {"violations", report.violations},
                             {"undecided", report.undecided},
                             {"voided", report.voided},
                             {"seconds", report.seconds},
                             {"faults", nlohmann::ordered_json::parse(faults_json(report.faults))},
                             {"rules", nlohmann::ordered_json::parse(rules_json(report))},
                             {"files", folder},
                             {"exit_status", exit_status_of(report)}};
  if (!network.empty()) all["network"] = network;
  if (report.driver_trouble) all["driver_trouble"] = *report.driver_trouble;
  std::cout << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

// What it shows while it goes on. Faults are told by the threads of the round.
class Shown {
 public:
  Shown(RunFolder& folder, const ChaosOptions& options) : folder_(folder), options_(options) {}

  ChaosListener listener() {
    ChaosListener listener;
    listener.begins = [this](const Plan& plan, const std::string& token) {
      folder_.case_begins(plan, token);
    };
    listener.progress = [this](const ChaosReport& report) {
      const std::lock_guard lock(mutex_);
      so_far_ = {report.rounds, report.operations, report.violations, report.seconds};
      draw();
    };
    listener.fault = [this](const FaultEvent& event) {
      going_on_.hear(event);
      const std::lock_guard lock(mutex_);
      draw();
    };
    listener.shrinking = [this](const std::string& rule) {
      const std::lock_guard lock(mutex_);
      line_.draw(fmt::format("making the witness of {} smaller", rule));
    };
    return listener;
  }

 private:
  void draw() {
    line_.draw(
        text::cut(fmt::format("{}, {} calls, {} convict, {:.0f} of {:.0f} s{}",
                              text::plural(so_far_.rounds, "round"),
                              text::grouped(so_far_.operations), text::grouped(so_far_.violations),
                              so_far_.seconds, options_.seconds, going_on_.text()),
                  99));
  }

  RunFolder& folder_;
  const ChaosOptions& options_;
  LiveLine line_;
  GoingOn going_on_;
  std::mutex mutex_;
  struct {
    std::uint64_t rounds = 0, operations = 0, violations = 0;
    double seconds = 0;
  } so_far_;
};

}  // namespace

int chaos_command(const ChaosArguments& arguments, const Program& program) {
  if (arguments.driver.empty()) return wrong_usage("chaos needs a driver: `assay chaos redis`");
  const Result<NamedDriver> driver =
      driver_from(arguments.driver, arguments.how, arguments.profile.has_value());
  if (!driver) return wrong_usage(driver.error().message);
  Result<ChaosOptions> options = options_from(arguments, *driver);
  if (!options) return wrong_usage(options.error().message);

  return on_stage(*driver, *options, [&](const std::string& backend, std::stop_token stop) {
    Result<std::unique_ptr<RunFolder>> folder =
        RunFolder::open({.driver = driver->name, .out = arguments.out}, RealClock());
    if (!folder) return trouble(folder.error().message);
    options->log_folder = (*folder)->path() + "/logs";
    const Result<RunLines> lines = lines_of(*driver, *options);
    if (!lines) return trouble(lines.error().message);
    options->make_lines = lines->make;
    const bool tells = !arguments.json && !arguments.quiet;
    if (tells) {
      tell_head("chaos", *options, "", backend);
      if (!lines->described.empty())
        std::cout << fmt::format("  network  {}\n", text::printable(lines->described));
      std::cout << fmt::format("  options  {} clients, {:g} s\n  files    {}/\n", options->clients,
                               options->seconds, (*folder)->path())
                << std::flush;
    }
    ChaosReport report;
    {
      Shown shown(**folder, *options);
      ChaosListener listener = shown.listener();
      if (tells) listener.ready = [&](const ChaosReport& so_far) { tell_faults(*options, so_far); };
      report = chaos(driver->info, *options, built_in_parts(), listener, stop);
    }
    if (report.own_trouble && report.rules.empty()) return trouble(*report.own_trouble);
    if (arguments.json)
      tell_json(*options, report, (*folder)->path(), lines->described);
    else
      tell(report, program, arguments.how);
    return exit_status_of(report);
  });
}

}  // namespace assay::cli
