// run_in_processes: the run of a plan whose workers are processes, in the machine's own time, while
// real faults befall them (harness/fault): they are killed, stopped, cut off, their clocks are
// wrong, their store goes away.
//
// Each process writes down what it does as it does it; the history is all of that in the order of
// the machine's clock. Then all faults end, everybody is started again, and every job is waited
// for.
#pragma once

#include "harness/fault/fault.h"
#include "harness/fault/journal.h"
#include "harness/run/engine.h"
#include "harness/run/network.h"

namespace assay {

// What such a run needs. All is borrowed for the call.
struct ProcessGrounds {
  const DriverInfo& driver;  // of a store that processes share
  Profile profile;           // as it is certified
  std::optional<std::string> url;
  std::string scratch;
  std::string log_folder;
  std::uint64_t seed = 0;
  int place = 0;
  std::vector<std::string> program;  // that reads a WorkerOrder
  std::span<const FaultInfo> faults = {};
  Journal* journal = nullptr;
  Backend* backend = nullptr;
  bool has_foreign_server = false;
  Network* network = nullptr;  // where a fault of the plan makes lines bad
  std::function<void(const FaultEvent&)> on_fault = {};
};

// What befalls workers that are processes, in plans that are drawn or written by hand; any other
// fault of a plan with workers is made in virtual time.
inline constexpr std::string_view process_faults[] = {
    "kill_worker",  "pause_worker", "partition",         "lose_requests",       "lose_replies",
    "slow_network", "half_open",    "reset_connections", "wrong_machine_clock", "crash_store"};

// Whether a plan's workers are processes: one of those befalls them.
bool is_in_processes(const Plan& plan);

// Requires: it is, and the driver shares its storage.
RunResult run_in_processes(const Plan& plan, const ProcessGrounds& grounds,
                           const EngineInfo& engine, const std::string& driver_name);

// The rules that such a history is judged by: those of what is said, in which order, and whether it
// ends. Those of an instant are judged where time is ours.
bool is_judged_in_processes(std::string_view rule);

}  // namespace assay
