// `assay certify all`: the drivers that ship, one after the other, then compared (META-1).
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stop_token>

#include "drivers/all.h"
#include "harness/cli/catalogue.h"
#include "harness/cli/certifying.h"
#include "harness/cli/interrupts.h"
#include "harness/cli/lines.h"
#include "harness/cli/scratch.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/contract/version.h"
#include "harness/run/parts.h"
#include "reports/file.h"
#include "reports/json.h"
#include "reports/text.h"

namespace assay::cli {

namespace {
struct One {
  NamedDriver driver;
  CertifyOptions options;
  RunStore store;
};

struct All {
  CertifyOptions options;  // what they have in common
  std::vector<One> drivers;
  bool certify = true;  // not only compare
  bool compare = true;
};
}  // namespace

static Result<NamedDriver> driver_among(const DriverInfo& info, const CertifyArguments& arguments) {
  DriverArguments how = arguments.how;
  if (info.backend.empty()) how.backend.reset();
  return driver_from(info.name, how, arguments.profile.has_value());
}

static Result<All> all_from(const CertifyArguments& arguments) {
  if (arguments.quiet && arguments.verbose)
    return invalid("--quiet and --verbose contradict each other; leave one out");
  if (arguments.audit) return invalid("--audit is of one driver: `assay certify postgres --audit`");
  if (arguments.how.replica)
    return invalid(
        "--replica is of one driver: `assay certify postgres --level durability --replica sync`");
  if (arguments.how.url)
    return invalid(
        "--driver-url makes no sense for all: each driver has a store of its own; set "
        "ASSAY_POSTGRES_URL or ASSAY_REDIS_URL for those that need a server");
  const Result<Level> level = level_named(arguments.level);
  if (!level) return level.error();
  All all;
  all.options.level = *level;
  all.options.rules = arguments.rules;
  all.options.fail_fast = arguments.fail_fast;
  if (Status read = read_numbers(arguments, all.options); !read) return read.error();
  Result<Profile> profile =
      profile_named(arguments.profile.value_or(all_drivers().front().default_profile));
  if (!profile) return profile.error();
  all.options.profile = std::move(*profile);

  if (Status known = check_globs(all.options.rules); !known) return known.error();
  all.compare = selects(all.options.rules, alike_rule);
  const auto selection = selected_at_most(all.options);
  all.certify = selection.ok();
  if (!all.certify && !all.compare) return selection.error();

  for (const DriverInfo& info : all_drivers()) {
    auto driver = driver_among(info, arguments);
    if (!driver) return driver.error();
    CertifyOptions options = all.options;
    options.driver = driver->name;
    all.drivers.push_back({std::move(*driver), std::move(options), {}});
  }
  return all;
}

static int tell_what_would_run(const All& all, bool as_json) {
  std::vector<std::string> names, scenarios, ids;
  for (const One& one : all.drivers) names.push_back(one.options.driver);
  for (const Scenario& scenario : built_in_parts().scenarios)
    if (applies(scenario, all.options.profile)) scenarios.emplace_back(scenario.name);
  const auto selection = selected_at_most(all.options);
  if (selection)
    for (const Rule* rule : selection->rules) ids.emplace_back(rule->id);
  if (all.compare) ids.emplace_back(alike_rule);
  if (as_json) {
    std::cout << nlohmann::ordered_json{{"drivers", names},
                                        {"profile", all.options.profile.name},
                                        {"level", name_of(all.options.level)},
                                        {"rules", ids},
                                        {"scenarios", scenarios}}
                     .dump(2)
              << "\n";
    return 0;
  }
  std::cout << fmt::format("{} under {} at level {}: {} and {}, then generated plans\n\nRules\n",
                           text::joined(names, ", "), all.options.profile.name,
                           name_of(all.options.level), text::plural(ids.size(), "rule"),
                           text::plural(scenarios.size(), "scenario"));
  for (const std::string& id : ids)
    std::cout << text::cut(fmt::format("  {:<10}  {}", id, find_rule(id)->promise), 100) << "\n";
  std::cout << "\nScenarios\n";
  for (const std::string& name : scenarios) std::cout << "  " << name << "\n";
  return 0;
}

// A server that cannot be had is told in its driver's report; the others go on.
static void find_stores(All& all, const std::string& scratch, const std::stop_token& stop) {
  for (One& one : all.drivers) {
    StoreWanted wanted{one.driver.url, one.driver.backend};
    wanted.disk = one.options.level >= Level::durability;
    auto store = store_for(one.driver.info, wanted, scratch, stop);
    if (!store) {
      one.options.unusable = store.error().message;
      continue;
    }
    one.store = std::move(*store);
    one.options.driver_url = one.store.url;
    one.options.server = one.store.backend.get();
    one.options.disk = one.store.disk.get();
    one.options.why_no_disk = one.store.why_no_disk;
    one.options.backend = one.store.described;
    one.options.scratch = scratch;
  }
}

// One for all whose stores are reached by TCP.
static Result<RunLines> find_lines(All& all, const CertifyArguments& arguments,
                                   const std::string& scratch) {
  if (all.options.level < Level::chaos) return RunLines{};
  for (const One& one : all.drivers) {
    Result<RunLines> lines = lines_for(one.store.url, arguments.how.toxiproxy, scratch);
    if (!lines) return lines;
    if (lines->described.empty()) continue;
    all.options.network = lines->described;
    for (One& each : all.drivers) {
      each.options.make_lines = lines->make;
      each.options.network = lines->described;
    }
    return lines;
  }
  return RunLines{};
}

static std::vector<std::string> described(const All& all) {
  std::vector<std::string> lines;
  for (const One& one : all.drivers)
    lines.push_back(one.options.unusable
                        ? fmt::format("{}: {}", one.options.driver, *one.options.unusable)
                    : one.options.backend.empty()
                        ? one.options.driver
                        : fmt::format("{}: {}", one.options.driver, one.options.backend));
  return lines;
}

// META-1 has its verdict beside the drivers', not among what they were not tested for.
static void leave_to_all(Report& report) {
  for (NotTested& rule : report.not_tested)
    if (rule.id == alike_rule) rule.reason = "judged once, for all drivers together";
}

// By what it claims now that it is made.
static std::optional<SkippedDriver> skipped(const Report& single, const CertifyOptions& options) {
  if (single.unusable || !single.canary_convicted) return std::nullopt;
  const auto selection = selected(options, single.profile);
  if (selection) return std::nullopt;
  return SkippedDriver{single.driver, selection.error().message};
}

static void certify_each(All& all, AllReport& report, RunFolder& folder, TerminalReport& terminal,
                         const CertifyArguments& arguments, const std::stop_token& stop) {
  for (One& one : all.drivers) {
    terminal.turns_to(one.options.driver);
    const std::string path = folder.path() + "/" + files::file_name_of(one.options.driver);
    auto own = RunFolder::open(
        {.driver = one.options.driver, .out = path, .keep_histories = arguments.keep_histories},
        RealClock());
    if (!own) {
      report.troubles.push_back(own.error().message);
      continue;
    }
    one.options.log_folder = path + "/logs";
    Listeners listeners(**own, terminal);
    Report single = certify(one.driver.info, one.options, built_in_parts(), listeners, stop);
    if (auto skips = skipped(single, one.options)) {
      terminal.skips(*skips);
      report.skipped.push_back(std::move(*skips));
      continue;
    }
    if (all.compare) leave_to_all(single);
    static_cast<void>((*own)->store(single));  // what went wrong is a trouble of the report
    terminal.ends(single);
    report.drivers.push_back(std::move(single));
    if (all.options.fail_fast && report.drivers.back().exit_status == 1) return;
  }
}

static LikenessReport compare_them(const All& all, RunFolder& folder, TerminalReport& terminal,
                                   const std::string& scratch, const std::stop_token& stop) {
  terminal.turns_to("comparing");
  std::vector<ComparedDriver> drivers;
  for (const One& one : all.drivers)
    drivers.push_back({&one.driver.info, one.options.driver, one.store.url, one.options.unusable});
  CompareOptions options;
  options.profile = all.options.profile;
  options.seed = all.options.seed;
  options.cases = all.options.cases;
  options.budget_seconds = all.options.budget_seconds;
  options.fail_fast = all.options.fail_fast;
  options.shrink_runs = all.options.shrink_runs;
  options.scratch = scratch;
  options.log_folder = folder.path() + "/logs";
  Listeners listeners(folder, terminal);
  LikenessReport report = compare_drivers(drivers, options, built_in_parts(), listeners, stop);
  terminal.ends(report);
  return report;
}

static AllReport carry_out(All& all, const CertifyArguments& arguments, RunFolder& folder,
                           TerminalReport& terminal, Scratch& scratch,
                           const std::stop_token& stop) {
  const Stopwatch watch;
  AllReport report;
  report.assay_version = version();
  report.profile = all.options.profile;
  report.level = all.options.level;
  report.seed = all.options.seed;
  if (all.certify) certify_each(all, report, folder, terminal, arguments, stop);
  const bool enough =
      all.options.fail_fast && std::ranges::any_of(report.drivers, [](const Report& driver) {
        return driver.exit_status == 1;
      });
  if (all.compare && !enough)
    report.likeness = compare_them(all, folder, terminal, scratch.path(), stop);
  report.seconds = watch.seconds();
  report.exit_status = exit_status_of(report);
  report.certified = report.exit_status == 0;
  return report;
}

int certify_all(const CertifyArguments& arguments, const Program& program) {
  Result<All> all = all_from(arguments);
  if (!all) return wrong_usage(all.error().message);
  if (arguments.list) return tell_what_would_run(*all, arguments.json);

  if (all->options.level >= Level::durability) static_cast<void>(Disk::keep_mounts_apart());
  block_interrupts();
  Result<std::unique_ptr<Scratch>> scratch = Scratch::make();
  if (!scratch) return trouble(scratch.error().message);
  std::stop_source stop;
  const auto end_stores = [&] {
    for (One& one : all->drivers) one.store.end();
  };
  {
    const Interrupts interrupts([&] { stop.request_stop(); }, [&] { (*scratch)->remove(); });
    find_stores(*all, (*scratch)->path(), stop.get_token());
  }
  if (stop.stop_requested()) return trouble("stopped before the run began");
  const Result<RunLines> lines = find_lines(*all, arguments, (*scratch)->path());
  if (!lines) return trouble(lines.error().message);
  const Interrupts interrupts(
      [&] {
        std::cerr << "\nassay: stopping after the current case; once more ends at once\n";
        stop.request_stop();
      },
      [&] {
        end_stores();
        (*scratch)->remove();
      });
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::open(
      {.driver = "all", .out = arguments.out, .keep_histories = arguments.keep_histories},
      RealClock());
  if (!folder) return trouble(folder.error().message);
  TerminalReport terminal(arguments.json ? std::cerr : std::cout, std::cerr,
                          terminal_options(arguments, program, (*folder)->path()));
  terminal.begins_all(all->options, described(*all));
  AllReport report = carry_out(*all, arguments, **folder, terminal, **scratch, stop.get_token());
  if (report.skipped.size() == all->drivers.size() && !report.likeness)
    return wrong_usage(report.skipped.front().reason);
  if (const Status stored = (*folder)->store(report); !stored) trouble(stored.error().message);
  if (arguments.json) std::cout << report_json(report) << std::flush;
  terminal.tell(report);
  return report.exit_status;
}

}  // namespace assay::cli
