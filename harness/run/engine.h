// Engine: an engine under test, behind the few calls that a run needs of it; and the run of a plan
// that has workers, in virtual time.
//
// What is judged is what the engine says to the store, and what the handlers that it runs see of
// it: neither depends on what it tells of itself, but for the errors that it must not keep to
// itself.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/runtime.h"
#include "harness/run/run.h"

namespace assay {

// A run of a job, as the engine hands it to its handler.
struct Errand {
  const Job& job;
  std::int64_t run = 1;
  Clock& clock;  // the only one to wait by
  std::stop_token stop;
  std::function<std::string()> why;  // it is told to stop
};

struct ActResult {
  bool ok = true;
  std::string error = {};
  bool unrecoverable = false;
};

// Does what the job's script says; throws where that is what it says.
using Acting = std::function<ActResult(const Errand&)>;

struct EngineTerms {
  Runtime& runtime;
  Driver& driver;
  WorkerSpec spec;
  std::vector<std::string> types;  // that it has handlers for, all of them `act`
  Acting act;
  std::function<void(EngineEvent)> tell;  // surfaced, held_back; worker and instant are filled in
  std::uint64_t seed = 0;
};

class RunningWorker {
 public:
  virtual ~RunningWorker() = default;
  virtual Status start() = 0;
  virtual void shutdown() = 0;  // in good order
};

struct EngineInfo {
  std::string name;
  std::string summary;
  std::set<std::string> capabilities;  // beside those of its driver
  // The longest that it lets pass before it asks again: an empty queue, and a store that is away.
  Duration longest_poll{2'000}, longest_outage{30'000};
  std::function<Result<std::unique_ptr<RunningWorker>>(const EngineTerms&)> make;
  std::vector<std::string_view> broken = {};  // of a mutant: the rules that it breaks
};

// What can go wrong in a plan with workers: the store is away, for everybody or for one worker; a
// worker's calls take effect, and their answers are lost.
inline constexpr std::string_view engine_faults[] = {"store_away", "answers_lost"};

// The profile that an engine on such a driver is judged by.
Profile with_engine(Profile profile, const EngineInfo& engine);

// Whether it can be run in virtual time on such a driver: a sentence where not.
std::optional<std::string> why_no_engine(const DriverInfo& driver, const Profile& profile);

// Makes the driver anew, on the clock of the run. Requires: the plan has workers.
RunResult run_engine(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
                     const EngineInfo& engine, const std::string& driver_name);

}  // namespace assay
