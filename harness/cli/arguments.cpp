#include "harness/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "harness/cli/usage.h"
#include "harness/contract/version.h"

namespace assay::cli {

namespace {
struct Parsed {
  CertifyArguments certify;
  ReplayArguments replay;
  ExploreArguments explore;
  ChaosArguments chaos;
  SweepArguments sweep;
  RunArguments run;
  JudgeArguments judge;
  ServeArguments serve;
  ProxyArguments proxy;
  DriverCommandArguments driver;
  BenchArguments bench;
  HealArguments heal;
  ListArguments list;
  ExplainArguments explain;
  PrintArguments print;
};
}  // namespace

static constexpr const char* exit_statuses =
    "Exit status: 0 certified; 1 at least one FAIL; 2 nothing failed, but something is "
    "inconclusive,\n"
    "vacuous or missing, the driver broke or the run was stopped; 3 trouble of Assay's own; 64 "
    "wrong\n"
    "usage.";

static void add_driver_options(CLI::App& command, DriverArguments& to) {
  command
      .add_option("--driver-url", to.url, "Where the driver's store is (default: a private one)")
      ->type_name("URL");
  command
      .add_option("--driver-env", to.environment,
                  "A variable for the driver's process; as often as needed")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command.add_option("--driver-cwd", to.folder, "The folder that the driver's process runs in")
      ->type_name("DIR");
  command
      .add_option("--driver-timeout", to.timeout,
                  "How long a driver's process may take for an answer (default: 10s)")
      ->type_name("TIME");
}

static void add_store_option(CLI::App& command, std::optional<std::string>& to) {
  command
      .add_option(
          "--store", to,
          "For exec: and tcp: drivers: start a postgres or redis for the run, under a clock "
          "that Assay moves, and hand its url to the driver")
      ->type_name("SERVER");
}

static void add_backend_option(CLI::App& command, std::optional<std::string>& to) {
  command
      .add_option("--backend", to,
                  "Where to start the server that a driver needs, unless a url is given: native, "
                  "docker or auto (default: auto)")
      ->type_name("KIND");
}

static void add_replica_option(CLI::App& command, std::optional<std::string>& to) {
  command
      .add_option("--replica", to,
                  "A second server follows the one that is started for the driver, and failovers "
                  "to it are among the faults of level durability: async or sync for postgres, "
                  "async or sentinel for redis")
      ->type_name("MODE");
}

static void add_toxiproxy_option(CLI::App& command, std::optional<std::string>& to) {
  command
      .add_option(
          "--toxiproxy", to,
          "What makes the lines of clients bad: a Toxiproxy that runs (http://HOST:PORT), or "
          "`embedded` (default: what ASSAY_TOXIPROXY_URL names, else a toxiproxy-server on "
          "PATH, which is started for the run, else the embedded one)")
      ->type_name("URL");
}

static void add_certify(CLI::App& app, CertifyArguments& to) {
  CLI::App* command =
      app.add_subcommand("certify", "Test a driver against the contract; one verdict a rule");
  command
      ->add_option("DRIVER", to.driver,
                   "memory, sqlite, ... or mutant:NAME (assay list drivers); exec:COMMAND or "
                   "tcp:HOST:PORT for a driver of your own; all: every built-in one, each with "
                   "the whole budget, and then compared with each other")
      ->type_name("");
  command
      ->add_option(
          "--profile", to.profile,
          "What the driver claims: a built-in profile or a file.json (default: the driver's own)")
      ->type_name("NAME|FILE");
  command->add_option("--level", to.level, "contract, concurrency, chaos or durability")
      ->capture_default_str()
      ->type_name("LEVEL");
  command
      ->add_option("--layer", to.layer,
                   "driver: the driver's own calls; engine: an engine at work on it, in virtual "
                   "time")
      ->capture_default_str()
      ->type_name("LAYER");
  command
      ->add_option("--engine", to.engine,
                   "With --layer engine, which one: mutant:NAME (assay list engines; default: the "
                   "reference)")
      ->type_name("NAME");
  command->add_option("--rules", to.rules, "Only these rules: ids or globs, e.g. FENCE-* LEASE-2")
      ->delimiter(',')
      ->type_name("GLOB");
  command
      ->add_option("--seed", to.seed,
                   "The number that everything drawn depends on (default: a fresh one)")
      ->type_name("N");
  command
      ->add_option("--budget", to.budget,
                   "How long to generate plans: 500ms, 10s, 5m, 1h (default: 5s, or no limit with "
                   "--cases)")
      ->type_name("TIME");
  command
      ->add_option("--cases", to.cases,
                   "This many generated plans, whatever the time; with --budget, until the first "
                   "of the two is reached")
      ->type_name("N");
  command->add_option("--jobs", to.jobs, "How many cases at a time (default: 1; 16 in real time)")
      ->type_name("N");
  command
      ->add_option("--out", to.out,
                   "The folder for the run's files (default: runs/<time>-<driver>)")
      ->type_name("DIR");
  add_driver_options(*command, to.how);
  add_store_option(*command, to.how.store);
  add_backend_option(*command, to.how.backend);
  add_replica_option(*command, to.how.replica);
  add_toxiproxy_option(*command, to.how.toxiproxy);
  command->add_flag("--hosted", to.how.hosted,
                    "Run a built-in driver in processes of its own, through the protocol");
  command->add_flag("--list,--dry-run", to.list, "Say what would be tested, run nothing");
  command->add_flag("--audit", to.audit,
                    "Afterwards, crash the store under each of the settings that people use, and "
                    "say which rules each keeps (postgres, redis, sqlite); --cases: plans a "
                    "setting (default: 4). Only what the default setting loses fails the run");
  command->add_flag("--fail-fast", to.fail_fast, "Stop at the first failure");
  command->add_flag("--keep-histories", to.keep_histories, "Store the history of every case");
  command->add_flag("--verbose", to.verbose, "List every rule, also those that passed");
  command->add_flag("--quiet", to.quiet, "Only the closing lines");
  command->add_flag("--json", to.json,
                    "Print the report as JSON; what is for people goes to stderr");
  command->footer(
      fmt::format("Examples:\n"
                  "  assay certify memory\n"
                  "  assay certify sqlite --profile taskharbor --budget 1m --jobs 2\n"
                  "  assay certify memory --rules 'FENCE-*' --seed 42 --verbose\n"
                  "  assay certify mutant:ack_takes_stale_token --fail-fast\n"
                  "  assay certify 'exec:python3 my_driver.py' --driver-url /tmp/queue.db\n"
                  "  assay certify exec:./my_driver -- --verbose 'a word'\n"
                  "  assay certify all --profile weave --budget 10s\n"
                  "  assay certify postgres --audit --cases 6\n"
                  "  assay certify postgres --level durability --replica sync\n\n{}",
                  exit_statuses));
}

static void add_replay(CLI::App& app, ReplayArguments& to) {
  CLI::App* command = app.add_subcommand("replay", "Run a token's plan again and tell its story");
  command->add_option("TOKEN", to.token, "assay1-..., or the path of a .plan.json file")
      ->type_name("");
  command->add_option("--out", to.out, "Write the history to this .jsonl file")->type_name("FILE");
  command->add_flag("--check-determinism", to.check_determinism,
                    "Run it twice, and name the first event that differs");
  command
      ->add_option("--until", to.until,
                   "With --hold: the step of the story before which to stop (default: the one that "
                   "convicts)")
      ->type_name("STEP");
  command->add_flag("--hold", to.hold,
                    "Stop there, with the store as it is then and its url printed, until Enter");
  command->add_flag("--break", to.stop_for_debugger,
                    "Raise SIGTRAP before the call that convicts, for a debugger that watches");
  add_driver_options(*command, to.how);
  add_store_option(*command, to.how.store);
  add_backend_option(*command, to.how.backend);
  add_replica_option(*command, to.how.replica);
  add_toxiproxy_option(*command, to.how.toxiproxy);
  command->footer(
      "Prints MATCH where the history is the same as the token's, else DIVERGED and both "
      "hashes.\n\n"
      "Examples:\n"
      "  assay replay assay1-eJyrVkrLz1eyUkpKLFKqBQAi...\n"
      "  assay replay runs/latest/plans/FENCE-2.plan.json --out /tmp/history.jsonl\n"
      "  assay replay assay1-... --until 4 --hold\n"
      "  gdb --args assay replay assay1-... --break\n\n"
      "Exit status: 1 the token's rule (or, of a token without one, any rule) is convicted again,\n"
      "also where the run DIVERGED; 0 nothing is convicted and the run is a MATCH, or the token\n"
      "knows no history to compare with; 3 DIVERGED without a conviction (the driver behaves\n"
      "differently now: fixed, or not deterministic), or trouble of Assay's own; 64 not a token.");
}

static void add_explore(CLI::App& app, ExploreArguments& to) {
  CLI::App* command = app.add_subcommand(
      "explore", "Run one plan by many orders of its clients' moves, on the hunt for a race");
  command->add_option("DRIVER", to.driver, "memory, sqlite, ... or mutant:NAME; exec:COMMAND")
      ->type_name("");
  command
      ->add_option("--plan", to.plan,
                   "A scenario whose clients move at once (assay list scenarios), a plan as JSON, "
                   "or a token: its schedule is where each begins")
      ->type_name("SCENARIO|FILE|TOKEN");
  command
      ->add_option(
          "--strategy", to.strategy,
          "mix, random, pct, or exhaustive: every schedule there is, fewest switches first")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--schedules", to.schedules, "At most so many (default: 10000)")
      ->type_name("N");
  command->add_option("--depth", to.depth, "Of pct (default: 2 to 4, drawn)")->type_name("N");
  command
      ->add_option("--jobs", to.jobs,
                   "How many schedules at a time (default: one a processor, at most 8; for "
                   "exec: and tcp: drivers and exhaustive: 1)")
      ->type_name("N");
  command->add_option("--budget", to.budget, "At most so long (default: 1m)")->type_name("TIME");
  command
      ->add_option("--seed", to.seed,
                   "The number that everything drawn depends on (default: a fresh one)")
      ->type_name("N");
  command
      ->add_option("--profile", to.profile,
                   "A built-in profile or a file.json (default: the driver's own)")
      ->type_name("NAME|FILE");
  add_driver_options(*command, to.how);
  add_store_option(*command, to.how.store);
  add_backend_option(*command, to.how.backend);
  command->add_flag("--all", to.go_on,
                    "Go on past the first conviction, to see how many there are");
  command->add_flag("--json", to.json, "Print the report as JSON");
  command->add_flag("--quiet", to.quiet, "Only the closing lines");
  command->footer(
      "One client moves at a time, from gate to gate; which one is drawn from the seed. A\n"
      "conviction is shrunk to the fewest steps and switches, and ends with a line to paste.\n\n"
      "Examples:\n"
      "  assay explore memory --plan one_job_has_one_claimer --strategy exhaustive\n"
      "  assay explore mutant:settle_checked_then_written --plan a_late_settle_meets_the_heir\n"
      "  assay explore sqlite --plan my-plan.json --schedules 500 --strategy pct --depth 3\n\n"
      "Exit status: 0 no schedule convicts anything; 1 some schedule does; 2 none does, but the\n"
      "driver broke, something is undecided, or it was stopped; 3 trouble of Assay's own; 64 "
      "wrong\n"
      "usage.");
}

static void add_chaos(CLI::App& app, ChaosArguments& to) {
  CLI::App* command = app.add_subcommand(
      "chaos",
      "Let clients work while things go wrong, round after round, for as long as you like");
  command->add_option("DRIVER", to.driver, "memory, sqlite, ... or mutant:NAME; exec:COMMAND")
      ->type_name("");
  command
      ->add_option("--faults", to.faults,
                   "Only these, all of them in each round: names, families, or how names begin "
                   "(default: each round some of all that can befall the driver)")
      ->delimiter(',')
      ->type_name("FAULT,...");
  command->add_option("--clients", to.clients, "So many that produce and work (default: 8)")
      ->type_name("N");
  command->add_option("--for", to.time, "For so long (default: 1m)")->type_name("TIME");
  command->add_option("--seed", to.seed, "The seed of everything (default: a fresh one)")
      ->type_name("N");
  command
      ->add_option("--profile", to.profile,
                   "A built-in profile or a file.json (default: the driver's own)")
      ->type_name("NAME|FILE");
  add_driver_options(*command, to.how);
  add_store_option(*command, to.how.store);
  add_backend_option(*command, to.how.backend);
  add_replica_option(*command, to.how.replica);
  add_toxiproxy_option(*command, to.how.toxiproxy);
  command->add_option("--out", to.out, "The folder for tokens and logs (default: runs/...)")
      ->type_name("DIR");
  command->add_flag("--all", to.go_on, "Go on past the first conviction");
  command->add_flag("--json", to.json, "Print the report as JSON");
  command->add_flag("--quiet", to.quiet, "Only the closing lines");
  command->footer(
      "Clients are processes of their own where the driver allows for it. In each round they\n"
      "enqueue, claim and settle at once; faults begin and end among their calls; then everything\n"
      "is put right, and an account of every job is taken. What a round had is in its token, on\n"
      "disk (tokens.txt) before it begins.\n\n"
      "Examples:\n"
      "  assay chaos postgres\n"
      "  assay chaos redis --faults kill,partition --clients 32 --for 2m\n"
      "  assay chaos redis --faults network --toxiproxy http://127.0.0.1:8474\n"
      "  assay chaos postgres --replica sync --faults fail_over,kill\n"
      "  assay chaos 'exec:python3 my_driver.py' --store redis --faults network\n\n"
      "Exit status: 0 nothing is convicted; 1 something is; 2 nothing is, but the driver broke, "
      "or\n"
      "something is undecided or void; 3 trouble of Assay's own; 64 wrong usage.");
}

static void add_sweep(CLI::App& app, SweepArguments& to) {
  CLI::App* command = app.add_subcommand(
      "sweep", "Run one plan once for each point at which a client can be cut off");
  command->add_option("DRIVER", to.driver, "memory, sqlite, ... or mutant:NAME; exec:COMMAND")
      ->type_name("");
  command
      ->add_option("--plan", to.plan,
                   "A scenario (assay list scenarios), a plan as JSON, or a token")
      ->capture_default_str()
      ->type_name("SCENARIO|FILE|TOKEN");
  command->add_option("--budget", to.budget, "At most so long (default: 5m)")->type_name("TIME");
  command->add_option("--seed", to.seed, "The driver's seed (default: a fresh one)")
      ->type_name("N");
  command
      ->add_option("--profile", to.profile,
                   "A built-in profile or a file.json (default: the driver's own)")
      ->type_name("NAME|FILE");
  add_driver_options(*command, to.how);
  add_store_option(*command, to.how.store);
  add_backend_option(*command, to.how.backend);
  command->add_flag("--all", to.go_on, "Go on past the first conviction");
  command->add_flag("--json", to.json, "Print the report as JSON");
  command->add_flag("--quiet", to.quiet, "Only the closing lines");
  command->footer(
      "Each call of the plan that changes something is cut at each of its round trips to the\n"
      "store (or gates): before the request is delivered, after that, and after its effect but\n"
      "before the answer. Then an account is taken: every accepted job must be accounted for.\n\n"
      "Examples:\n"
      "  assay sweep postgres\n"
      "  assay sweep sqlite --plan a_late_settle_meets_the_heir --all\n"
      "  assay sweep 'exec:python3 my_driver.py' --driver-url redis://127.0.0.1:6379\n\n"
      "Exit status: 0 every cut was made and nothing is convicted; 1 something is; 2 nothing is,\n"
      "but the driver broke, something is undecided, or not all cuts were made; 3 trouble of\n"
      "Assay's own; 64 wrong usage.");
}

static void add_run(CLI::App& app, RunArguments& to) {
  CLI::App* command = app.add_subcommand("run", "Run one plan of your own and judge it");
  command
      ->add_option("PLAN", to.plan,
                   "A plan as JSON, or a .plan.json file: its driver and profile are not read")
      ->type_name("");
  command
      ->add_option("--driver", to.driver,
                   "memory, sqlite, ... or mutant:NAME; exec:COMMAND or tcp:HOST:PORT")
      ->type_name("NAME");
  command
      ->add_option("--profile", to.profile,
                   "A built-in profile or a file.json (default: the driver's own)")
      ->type_name("NAME|FILE");
  command->add_option("--seed", to.seed, "The driver's seed (default: 0)")->type_name("N");
  add_driver_options(*command, to.how);
  add_store_option(*command, to.how.store);
  add_backend_option(*command, to.how.backend);
  add_replica_option(*command, to.how.replica);
  add_toxiproxy_option(*command, to.how.toxiproxy);
  command->add_option("--out", to.out, "Write the history to this .jsonl file")->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  assay run my-plan.json --driver memory\n"
      "  assay run runs/latest/plans/FENCE-2.plan.json --driver memory\n"
      "  assay run my-plan.json --driver sqlite --profile weave --out /tmp/history.jsonl\n\n"
      "Exit status: 0 nothing is convicted; 1 some rule is; 3 the plan could not be run;\n"
      "64 wrong usage.");
}

static void add_judge(CLI::App& app, JudgeArguments& to) {
  CLI::App* command =
      app.add_subcommand("judge", "Judge a stored history, of whatever queue, without a driver");
  command->add_option("FILE", to.file, "A history, one JSON object a line; - is stdin")
      ->type_name("");
  command
      ->add_option("--profile", to.profile,
                   "What the queue claims: a built-in profile or a file.json (default: what the "
                   "history's header says)")
      ->type_name("NAME|FILE");
  command->add_option("--rules", to.rules, "Only these rules: ids or globs, e.g. FENCE-* LEASE-2")
      ->delimiter(',')
      ->type_name("GLOB");
  command->add_flag("--strict", to.strict, "A rule that was never triggered is not good enough");
  command->add_flag("--json", to.json,
                    "Print the report as JSON; what is for people goes to stderr");
  command->add_flag("--quiet", to.quiet, "Only the closing line");
  command->footer(
      "docs/history.md tells how to log a queue of your own. The file is read line by line, "
      "however\n"
      "long it is.\n\n"
      "Examples:\n"
      "  assay judge runs/latest/histories/FENCE-2.jsonl\n"
      "  assay judge production.jsonl --profile taskharbor --rules 'LEASE-*'\n"
      "  zcat production.jsonl.gz | assay judge - --profile my-queue.json --json\n\n"
      "Exit status: 0 every rule that was triggered holds, and at least one was; 1 at least one\n"
      "FAIL; 2 nothing failed, but something is undecided, the history has gaps or triggers no "
      "rule\n"
      "(with --strict: leaves any rule untriggered); 3 it is no history or cannot be read; 64 "
      "wrong\n"
      "usage.");
}

static void add_serve(CLI::App& app, ServeArguments& to) {
  CLI::App* command =
      app.add_subcommand("serve", "Speak the driver's side of the protocol for a built-in driver");
  command->add_option("DRIVER", to.driver, "memory, sqlite, ... or mutant:NAME")->type_name("");
  command
      ->add_option("--profile", to.profile,
                   "What the driver claims: a built-in profile or a file.json (default: its own)")
      ->type_name("NAME|FILE");
  command
      ->add_option("--listen", to.listen,
                   "Take TCP connections here instead of stdin and stdout; port 0: any free one")
      ->type_name("HOST:PORT");
  command
      ->add_option("--driver-url", to.driver_url,
                   "Where the store is, unless setup says so (default: a private one)")
      ->type_name("URL");
  add_backend_option(*command, to.backend);
  command->footer(
      "Ends at the end of its input, or with --listen at SIGINT or SIGTERM. docs/protocol.md "
      "tells\n"
      "what is said.\n\n"
      "Examples:\n"
      "  assay serve memory --profile trace\n"
      "  assay serve sqlite --listen 127.0.0.1:7000 --driver-url /tmp/queue.db\n"
      "  assay certify 'exec:assay serve memory'");
}

static void add_proxy(CLI::App& app, ProxyArguments& to) {
  CLI::App* command = app.add_subcommand(
      "proxy", "Make connections slow, thin or broken: a proxy with Toxiproxy's HTTP API");
  command->add_option("--listen", to.listen, "Where the API is; port 0: any free one")
      ->capture_default_str()
      ->type_name("HOST:PORT");
  command
      ->add_option("--seed", to.seed,
                   "The number that everything drawn depends on (default: a fresh one)")
      ->type_name("N");
  command->footer(
      "Says where it is and by which seed, and runs until Ctrl-C or SIGTERM. Whatever speaks to\n"
      "Toxiproxy can speak to it: toxiproxy-cli, a client library, curl. docs/faults.md has "
      "more.\n\n"
      "Examples:\n"
      "  assay proxy\n"
      "  assay proxy --listen 127.0.0.1:0 --seed 42\n\n"
      "Exit status: 0 it was ended; 3 it cannot listen there; 64 wrong usage.");
}

static void add_driver(CLI::App& app, DriverCommandArguments& to) {
  CLI::App* command =
      app.add_subcommand("driver", "Check whether a driver of your own speaks the protocol");
  command->add_option("ACTION", to.action, "check: try every operation, look at every answer")
      ->type_name("");
  command->add_option("DRIVER", to.driver, "exec:COMMAND or tcp:HOST:PORT")->type_name("");
  add_driver_options(*command, to.how);
  command->add_flag("--trace", to.trace,
                    "Show the conversation on stderr: > sent, < received, ! its stderr");
  command->footer(
      "Looks at the form of the answers only (docs/protocol.md); what they mean is for certify.\n"
      "Words behind `--` are more arguments of the command.\n\n"
      "Examples:\n"
      "  assay driver check 'exec:python3 my_driver.py'\n"
      "  assay driver check exec:./my_driver --trace -- --verbose\n"
      "  assay driver check tcp:127.0.0.1:7000\n\n"
      "Exit status: 0 no problems; 1 at least one, also where the driver does not start;\n"
      "3 trouble of Assay's own; 64 wrong usage.");
}

static void add_bench(CLI::App& app, BenchArguments& to) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure the drivers beside what their stores could do");
  command->add_option("WHAT", to.what, "drivers")->type_name("");
  command->add_option("--driver", to.drivers, "Only this one; as often as needed (default: all)")
      ->delimiter(',')
      ->type_name("NAME");
  command->add_option("--clients", to.clients, "How many clients at a time")
      ->capture_default_str()
      ->type_name("N,N");
  command->add_option("--batches", to.batches, "How many jobs a call")
      ->capture_default_str()
      ->type_name("N,N");
  command->add_option("--seconds", to.seconds, "How long each figure is measured")
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--backlogs", to.backlogs,
                   "With how many jobs waiting, and then done, a claim's cost is measured; or none")
      ->capture_default_str()
      ->type_name("N,N");
  add_backend_option(*command, to.backend);
  command->add_flag("--relaxed", to.relaxed,
                    "Servers that may lose what they acknowledged: Postgres without "
                    "synchronous_commit, Redis without an append-only file");
  command->add_flag("--json", to.json, "As JSON");
  command->footer(
      "Jobs a second that a driver takes (enqueue) and gives (reserve + ack), each beside the\n"
      "ceiling: what its store does with the smallest statements that are still right, measured\n"
      "next to it in the same run. Trust the ratios, not the figures. The stores lie in $TMPDIR, "
      "or\n"
      "else in /var/tmp: on a disk.\n\n"
      "Examples:\n"
      "  assay bench drivers\n"
      "  assay bench drivers --driver redis --clients 8 --batches 1 --seconds 5 --backlogs none\n"
      "  assay bench drivers --driver postgres --relaxed --json");
}

static void add_small(CLI::App& app, Parsed& to) {
  CLI::App* list = app.add_subcommand(
      "list", "List rules, profiles, drivers, mutants, scenarios, faults, knobs");
  list->add_option("WHAT", to.list.what,
                   "rules, profiles, drivers, mutants, scenarios, faults or knobs")
      ->type_name("");
  list->add_flag("--json", to.list.json, "As JSON, with every column");
  list->footer("Examples:\n  assay list rules\n  assay list mutants --json");

  CLI::App* heal =
      app.add_subcommand("heal", "Put right what runs that were killed have left behind");
  heal->add_flag("--json", to.heal.json, "As JSON");
  heal->footer(
      "Every run does this when it starts; heal is for when none follows. It ends processes that\n"
      "outlived their run, does what the run's journal says must be put right, and removes its\n"
      "folder. Runs that are alive are left alone.\n\n"
      "Examples:\n  assay heal\n\n"
      "Exit status: 0 all is right; 3 something could not be put right, and is told.");

  CLI::App* explain =
      app.add_subcommand("explain", "Explain a rule, profile, mutant, scenario, knob or verdict");
  explain
      ->add_option("WHAT", to.explain.what,
                   "FENCE-2, profile:weave, mutant:NAME, scenario:NAME, knob:NAME, VACUOUS")
      ->type_name("");
  explain->footer(
      "Examples:\n  assay explain FENCE-2\n  assay explain profile:taskharbor\n"
      "  assay explain knob:late_settle\n  assay explain VACUOUS");

  CLI::App* print = app.add_subcommand("print", "Print a reference page");
  print->add_option("PAGE", to.print.what, "contract, history-schema, protocol or protocol-schema")
      ->type_name("");
  print->footer(
      "Examples:\n  assay print contract > docs/contract.md\n"
      "  assay print protocol-schema > docs/protocol.schema.json");
}

// What CLI11 did not know is complained about in our words, with the nearest name.
static std::optional<Error> first_extra(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return std::nullopt;
  const std::string where = command.get_name();
  if (extras.front().starts_with("-")) {
    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    const std::string flag = extras.front().substr(0, extras.front().find('='));
    return unknown("option", flag, known, fmt::format("see `assay {} --help`", where));
  }
  return invalid(
      fmt::format("`{}` is one argument too many; see `assay {} --help`", extras.front(), where));
}

static Result<Arguments> chosen(const CLI::App& app, Parsed& parsed) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  if (commands.empty()) {
    const std::vector<std::string> extras = app.remaining();
    if (extras.empty()) return Arguments(NoCommand{app.help()});
    std::vector<std::string> known{"--help", "--version"};
    for (const CLI::App* command : app.get_subcommands(nullptr))
      known.push_back(command->get_name());
    const bool flag = extras.front().starts_with("-");
    return unknown(flag ? "option" : "command", extras.front(), known, "see `assay --help`");
  }
  const CLI::App& command = *commands.front();
  if (auto error = first_extra(command)) return *error;
  if (auto error = first_extra(app)) return *error;
  const std::string& name = command.get_name();
  if (name == "certify") {
    // `--rules X memory`: the last of several is the driver that was left out before.
    CertifyArguments& certify = parsed.certify;
    if (certify.driver.empty() && certify.rules.size() > 1) {
      certify.driver = certify.rules.back();
      certify.rules.pop_back();
    }
    return Arguments(certify);
  }
  if (name == "replay") return Arguments(parsed.replay);
  if (name == "explore") return Arguments(parsed.explore);
  if (name == "chaos") {
    // As above.
    ChaosArguments& chaos = parsed.chaos;
    if (chaos.driver.empty() && chaos.faults.size() > 1) {
      chaos.driver = chaos.faults.back();
      chaos.faults.pop_back();
    }
    return Arguments(chaos);
  }
  if (name == "sweep") return Arguments(parsed.sweep);
  if (name == "run") return Arguments(parsed.run);
  if (name == "judge") {
    // As above.
    JudgeArguments& judge = parsed.judge;
    if (judge.file.empty() && judge.rules.size() > 1) {
      judge.file = judge.rules.back();
      judge.rules.pop_back();
    }
    return Arguments(judge);
  }
  if (name == "serve") return Arguments(parsed.serve);
  if (name == "proxy") return Arguments(parsed.proxy);
  if (name == "driver") return Arguments(parsed.driver);
  if (name == "bench") return Arguments(parsed.bench);
  if (name == "heal") return Arguments(parsed.heal);
  if (name == "list") return Arguments(parsed.list);
  if (name == "explain") return Arguments(parsed.explain);
  return Arguments(parsed.print);
}

Result<Arguments> parse(int argc, const char* const* argv) {
  if (argc > 1 && argv[1] == std::string_view("queue"))
    return Arguments(QueueArguments{{argv + 2, argv + argc}});
  CLI::App app(
      "Assay certifies job-queue drivers: it drives a driver through hard cases, judges what\n"
      "happened against a written contract, and hands back verdicts, stories and replay tokens.",
      "assay");
  app.get_formatter()->column_width(26);
  app.set_version_flag("--version", fmt::format("assay {}", version()));
  app.require_subcommand(0, 1);
  Parsed parsed;
  add_certify(app, parsed.certify);
  add_replay(app, parsed.replay);
  add_explore(app, parsed.explore);
  add_chaos(app, parsed.chaos);
  add_sweep(app, parsed.sweep);
  add_run(app, parsed.run);
  add_judge(app, parsed.judge);
  add_serve(app, parsed.serve);
  add_proxy(app, parsed.proxy);
  add_driver(app, parsed.driver);
  add_bench(app, parsed.bench);
  app.add_subcommand("queue", "Enqueue jobs, work them off and look at them, on any driver");
  add_small(app, parsed);
  app.allow_extras();
  for (CLI::App* command : app.get_subcommands(nullptr)) command->allow_extras();
  app.footer(
      fmt::format("Examples:\n"
                  "  assay certify memory          certify the reference driver\n"
                  "  assay certify all             certify and compare all that ship\n"
                  "  assay list drivers            what can be certified\n"
                  "  assay explain FENCE-2         what a rule promises\n"
                  "  assay replay assay1-...       run a failure again\n\n{}",
                  exit_statuses));
  try {
    // What stands behind `--` is for the driver.
    const auto* end = std::find(argv, argv + argc, std::string_view("--"));
    for (const auto* word = end; word < argv + argc; ++word)
      if (word != end)
        for (DriverArguments* how :
             {&parsed.certify.how, &parsed.explore.how, &parsed.chaos.how, &parsed.sweep.how,
              &parsed.run.how, &parsed.replay.how, &parsed.driver.how})
          how->words.emplace_back(*word);
    app.parse(static_cast<int>(end - argv), argv);
  } catch (const CLI::CallForHelp&) {
    return Arguments(ShowText{app.help()});
  } catch (const CLI::CallForVersion&) {
    return Arguments(ShowText{fmt::format("assay {}\n", version())});
  } catch (const CLI::ParseError& wrong) {
    const std::vector<CLI::App*> commands = app.get_subcommands();
    return invalid(fmt::format("{}; see `assay {}--help`", wrong.what(),
                               commands.empty() ? "" : commands.front()->get_name() + " "));
  }
  return chosen(app, parsed);
}

}  // namespace assay::cli
