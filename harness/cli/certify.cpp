#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stop_token>

#include "harness/cli/auditing.h"
#include "harness/cli/catalogue.h"
#include "harness/cli/certifying.h"
#include "harness/cli/commands.h"
#include "harness/cli/interrupts.h"
#include "harness/cli/lines.h"
#include "harness/cli/scratch.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/contract/random.h"
#include "harness/run/engine.h"
#include "harness/run/parts.h"
#include "reports/json.h"
#include "reports/text.h"

namespace assay::cli {

Status read_numbers(const CertifyArguments& arguments, CertifyOptions& options) {
  // Twelve digits are enough to differ and short enough to type.
  options.seed = fresh_seed() % 1'000'000'000'000;
  if (arguments.seed) {
    const Result<std::uint64_t> seed = number_from(*arguments.seed, "--seed", {});
    if (!seed) return seed.error();
    options.seed = *seed;
  }
  if (arguments.cases) {
    const Result<std::uint64_t> cases =
        number_from(*arguments.cases, "--cases", {0, 1'000'000'000});
    if (!cases) return cases.error();
    options.cases = *cases;
  }
  if (arguments.jobs) {
    const Result<std::uint64_t> jobs = number_from(*arguments.jobs, "--jobs", {1, 256});
    if (!jobs) return jobs.error();
    options.jobs = static_cast<int>(*jobs);
  }
  if (arguments.budget) {
    const Result<double> budget = seconds_from(*arguments.budget);
    if (!budget) return invalid("--budget: " + budget.error().message);
    options.budget_seconds = *budget;
  }
  return Done{};
}

Result<Selection> selected(const CertifyOptions& options, const Profile& profile) {
  return options.engine ? select_rules(with_engine(profile, *options.engine), options.level,
                                       options.rules, Certifies::engine)
                        : select_rules(profile, options.level, options.rules);
}

Result<Selection> selected_at_most(const CertifyOptions& options) {
  Result<Selection> selection = selected(options, options.profile);
  if (selection) return selection;
  Profile keeps_all = options.profile;
  keeps_all.durability = Durability::crash;
  return selected(options, keeps_all);
}

Result<CertifyJob> job_from(const CertifyArguments& arguments) {
  if (arguments.driver.empty())
    return invalid(
        "certify needs a driver: `assay certify memory`, or one of `assay list drivers`");
  if (arguments.quiet && arguments.verbose)
    return invalid("--quiet and --verbose contradict each other; leave one out");
  Result<NamedDriver> driver =
      driver_from(arguments.driver, arguments.how, arguments.profile.has_value());
  if (!driver) return driver.error();
  if (arguments.audit)
    if (Status sound = check_audit(arguments, *driver); !sound) return sound.error();
  const Result<Level> level = level_named(arguments.level);
  if (!level) return level.error();

  if (arguments.layer != "driver" && arguments.layer != "engine")
    return invalid(fmt::format("--layer is driver or engine, not '{}'", arguments.layer));
  const bool of_engine = arguments.layer == "engine";
  if (!of_engine && arguments.engine) return invalid("--engine needs --layer engine");
  if (of_engine && arguments.audit)
    return invalid("--audit is about a driver's store; leave out --layer engine");

  CertifyOptions options;
  if (of_engine) {
    Result<const EngineInfo*> engine = engine_named(arguments.engine.value_or("reference"));
    if (!engine) return engine.error();
    options.engine = *engine;
    if (driver_named(driver->name))
      options.worker_program = {"/proc/self/exe", std::string(engine_worker_word)};
  }
  options.driver = driver->name;
  options.level = *level;
  options.rules = arguments.rules;
  options.fail_fast = arguments.fail_fast;
  options.driver_url = driver->url;
  if (Status read = read_numbers(arguments, options); !read) return read.error();
  Result<Profile> profile = profile_of(*driver, arguments.profile);
  if (profile) {
    options.profile = std::move(*profile);
  } else {
    if (!driver->claims_itself) return profile.error();
    // It gets its verdict like any other: a driver that breaks at the start is a broken driver.
    options.unusable = profile.error().message;
    options.profile = *built_in_profile("reference");
  }
  if (driver->clock && options.jobs.value_or(1) > 1)
    return invalid("--jobs makes no sense with --store: all cases live by the clock of one server");
  if (of_engine)
    if (auto why = why_no_engine(driver->info, options.profile))
      return invalid("no engine can be certified on it here: " + *why);
  Result<Selection> selection = selected_at_most(options);
  if (!selection) return selection.error();
  return CertifyJob{std::move(*driver), std::move(options), std::move(*selection)};
}

static int tell_what_would_run(const CertifyJob& job, const Parts& parts, bool as_json) {
  std::vector<std::string> scenarios, ids;
  for (const Scenario& scenario : job.options.engine ? parts.engine_scenarios : parts.scenarios)
    if (applies(scenario, job.options.profile)) scenarios.emplace_back(scenario.name);
  for (const Rule* rule : job.selection.rules) ids.emplace_back(rule->id);
  if (as_json) {
    nlohmann::ordered_json all{{"driver", job.options.driver},
                               {"profile", job.options.profile.name},
                               {"level", name_of(job.options.level)},
                               {"rules", ids},
                               {"scenarios", scenarios}};
    std::cout << all.dump(2) << "\n";
    return 0;
  }
  std::cout << fmt::format("{} under {} at level {}: {} and {}, then generated plans\n\nRules\n",
                           job.options.driver, job.options.profile.name, name_of(job.options.level),
                           text::plural(ids.size(), "rule"),
                           text::plural(scenarios.size(), "scenario"));
  for (const Rule* rule : job.selection.rules)
    std::cout << text::cut(fmt::format("  {:<10}  {}{}", rule->id,
                                       is_judged(rule->id) ? "" : "(MISSING: no judge yet) ",
                                       rule->promise),
                           100)
              << "\n";
  std::cout << "\nScenarios\n";
  for (const std::string& name : scenarios) std::cout << "  " << name << "\n";
  return 0;
}

static bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

static std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return 100;
  return std::min<std::size_t>(size.ws_col, 120);
}

TerminalOptions terminal_options(const CertifyArguments& arguments, const Program& program,
                                 const std::string& folder) {
  TerminalOptions options;
  const int out = arguments.json ? STDERR_FILENO : STDOUT_FILENO;
  options.colour = isatty(out) && !is_set("NO_COLOR");
  options.live = isatty(STDERR_FILENO) && !is_set("CI");
  options.progress = !is_set("CI");
  options.verbose = arguments.verbose;
  options.quiet = arguments.quiet;
  options.width = terminal_width();
  options.program = program.name;
  options.folder = folder;
  options.replay_options = replay_options(arguments.how);
  return options;
}

// The server that the driver needs, where it needs one.
static Result<RunStore> store_of(const CertifyJob& job, Scratch& scratch) {
  std::stop_source stop;
  const Interrupts interrupts([&] { stop.request_stop(); }, [&] { scratch.remove(); });
  StoreWanted wanted = wanted_by(job.driver);
  wanted.disk = job.options.level >= Level::durability;
  return store_for(job.driver.info, wanted, scratch.path(), stop.get_token());
}

// Runs it, and leaves the files behind. The scratch folder is gone on every way out.
static Report carry_out(CertifyJob& job, RunFolder& folder, TerminalReport& terminal,
                        Scratch& scratch, RunStore& store) {
  std::stop_source stop;
  const Interrupts interrupts(
      [&] {
        std::cerr << "\nassay: stopping after the current case; once more ends at once\n";
        stop.request_stop();
      },
      [&] {
        store.end();
        scratch.remove();
      });
  job.options.driver_url = store.url;
  job.options.server = store.backend.get();
  job.options.disk = store.disk.get();
  job.options.why_no_disk = store.why_no_disk;
  job.options.backend = store.described;
  job.options.scratch = scratch.path();
  Listeners listeners(folder, terminal);
  job.options.log_folder = folder.path() + "/logs";
  return certify(job.driver.info, job.options, built_in_parts(), listeners, stop.get_token());
}

int certify_command(const CertifyArguments& arguments, const Program& program) {
  if (arguments.driver == "all") return certify_all(arguments, program);
  Result<CertifyJob> job = job_from(arguments);
  if (!job) return wrong_usage(job.error().message);
  if (arguments.list) return tell_what_would_run(*job, built_in_parts(), arguments.json);

  // Before the first thread. Where it cannot be done there is no disk, and the report says so.
  if (job->options.level >= Level::durability) static_cast<void>(Disk::keep_mounts_apart());
  block_interrupts();
  Result<std::unique_ptr<Scratch>> scratch = Scratch::make();
  if (!scratch) return trouble(scratch.error().message);
  Result<RunStore> store = store_of(*job, **scratch);
  if (!store) return trouble(store.error().message);
  RunLines lines;
  if (job->options.level >= Level::chaos) {
    Result<RunLines> found = lines_for(store->url, job->driver.toxiproxy, (*scratch)->path());
    if (!found) return trouble(found.error().message);
    lines = std::move(*found);
    job->options.make_lines = lines.make;
    job->options.network = lines.described;
  }
  const RunFolderOptions where{
      .driver = job->driver.name, .out = arguments.out, .keep_histories = arguments.keep_histories};
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::open(where, RealClock());
  if (!folder) return trouble(folder.error().message);

  TerminalReport terminal(arguments.json ? std::cerr : std::cout, std::cerr,
                          terminal_options(arguments, program, (*folder)->path()));
  Report report = carry_out(*job, **folder, terminal, **scratch, *store);
  // By what it claims now that it is made.
  if (const auto rules = selected(job->options, report.profile); !rules && !report.unusable)
    return wrong_usage(rules.error().message);
  std::optional<AuditReport> audit;
  if (arguments.audit) {
    store->end();
    audit = audit_store(*job, arguments, **scratch, terminal.options());
    add_audit(report, *audit);
  }
  if (const Status stored = (*folder)->store(report, audit ? &*audit : nullptr); !stored)
    trouble(stored.error().message);
  if (arguments.json) std::cout << report_json(report, audit ? &*audit : nullptr) << std::flush;
  if (audit) terminal.tell(*audit);
  terminal.tell(report);
  return report.exit_status;
}

}  // namespace assay::cli
