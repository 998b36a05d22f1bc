// Arguments: what a person typed, taken apart but not yet believed: texts stay texts, so that each
// command can say in its own words what is wrong with them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/contract/result.h"

namespace assay::cli {

// How a driver is to be started and reached.
struct DriverArguments {
  std::optional<std::string> url, folder, timeout;
  std::optional<std::string> backend;    // native, docker or auto
  std::optional<std::string> store;      // the server that a driver behind the protocol needs
  std::optional<std::string> replica;    // async, sync or sentinel
  std::optional<std::string> toxiproxy;  // a url, or embedded
  std::vector<std::string> environment;  // NAME=VALUE
  std::vector<std::string> words;        // behind `--`: more arguments of an exec: driver
  bool hosted = false;
};

struct CertifyArguments {
  std::string driver;
  DriverArguments how;
  std::optional<std::string> profile, seed, budget, cases, jobs, out;
  std::string level = "contract";
  std::string layer = "driver";
  std::optional<std::string> engine;
  std::vector<std::string> rules;
  bool list = false;
  bool audit = false;
  bool fail_fast = false;
  bool keep_histories = false;
  bool verbose = false;
  bool quiet = false;
  bool json = false;
};

struct ReplayArguments {
  std::string token;
  DriverArguments how;
  std::optional<std::string> out, until;
  bool check_determinism = false;
  bool hold = false;
  bool stop_for_debugger = false;
};

struct ExploreArguments {
  std::string driver;
  DriverArguments how;
  std::optional<std::string> plan, profile, seed, schedules, budget, depth, jobs;
  std::string strategy = "mix";
  bool go_on = false;
  bool json = false;
  bool quiet = false;
};

struct SweepArguments {
  std::string driver;
  DriverArguments how;
  std::string plan = "every_operation_is_made_once";
  std::optional<std::string> profile, seed, budget;
  bool go_on = false;
  bool json = false;
  bool quiet = false;
};

struct ChaosArguments {
  std::string driver;
  DriverArguments how;
  std::vector<std::string> faults;
  std::optional<std::string> profile, seed, clients, time, out;
  bool go_on = false;
  bool json = false;
  bool quiet = false;
};

struct RunArguments {
  std::string plan;
  std::string driver;
  DriverArguments how;
  std::optional<std::string> profile, seed, out;
};

struct JudgeArguments {
  std::string file;  // "-": stdin
  std::optional<std::string> profile;
  std::vector<std::string> rules;
  bool strict = false;
  bool json = false;
  bool quiet = false;
};

struct ServeArguments {
  std::string driver;
  std::optional<std::string> profile, listen, driver_url, backend;
};

struct ProxyArguments {
  std::string listen = "127.0.0.1:8474";
  std::optional<std::string> seed;
};

struct DriverCommandArguments {
  std::string action;  // check
  std::string driver;
  DriverArguments how;
  bool trace = false;
};

struct BenchArguments {
  std::string what;                  // drivers
  std::vector<std::string> drivers;  // empty: all
  std::string clients = "1,8,32", batches = "1,10,100", backlogs = "1000,100000,1000000";
  std::string seconds = "1";
  std::optional<std::string> backend;
  bool relaxed = false;
  bool json = false;
};

// Taken apart by the command itself (harness/cli/queue).
struct QueueArguments {
  std::vector<std::string> words;  // behind `queue`
};

struct HealArguments {
  bool json = false;
};

struct ListArguments {
  std::string what;
  bool json = false;
};

struct ExplainArguments {
  std::string what;
};

struct PrintArguments {
  std::string what;
};

// Not a command: a text that was asked for.
struct ShowText {
  std::string text;
};

// Just `assay`.
struct NoCommand {
  std::string help;
};

using Arguments =
    std::variant<CertifyArguments, ReplayArguments, ExploreArguments, ChaosArguments,
                 SweepArguments, RunArguments, JudgeArguments, ServeArguments, ProxyArguments,
                 DriverCommandArguments, BenchArguments, QueueArguments, HealArguments,
                 ListArguments, ExplainArguments, PrintArguments, ShowText, NoCommand>;

// The error is a sentence: what is wrong, the nearest names, what to do.
Result<Arguments> parse(int argc, const char* const* argv);

}  // namespace assay::cli
