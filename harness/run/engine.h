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
#include "harness/plan/recurring.h"
#include "harness/run/engine_desk.h"
#include "harness/run/run.h"
#include "harness/run/wakeup_line.h"

namespace assay {

// What a run leaves in the store beside its job's end.
struct ErrandOutputs {
  using Staging = std::function<Status(const std::string& name, const std::string& value)>;
  Staging put;  // with the run's success, and in the place of what is there
  // So, too, unless it is there already; its name is "NAME/UNIQUE".
  std::function<Status(const std::string& name, const std::string& unique,
                       const std::string& value)>
      append;
  // At once, unless it is there already; gives what is there.
  std::function<Result<std::string>(const std::string& name, const std::string& value)> commit;
};

// A run of a job, as the engine hands it to its handler.
struct Errand {
  const Job& job;
  std::int64_t run = 1;
  Clock& clock;  // the only one to wait by
  std::stop_token stop;
  std::function<std::string()> why;  // it is told to stop
  ErrandOutputs outputs = {};
};

// An event that a job sends by succeeding.
struct SentEvent {
  std::string target = {}, body = {};
};

struct ActResult {
  bool ok = true;
  std::string error = {};
  bool unrecoverable = false;
  std::vector<SentEvent> events = {};  // ok
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
  WakeUpLine& wakeups;  // its end of the channel; what it says is announced to the spec's queues
  // A process has no such end: one that hears hears the wake-ups of its driver, where it has some.
  bool hears_its_driver = false;
  // Takes an event to its target, for a dispatcher that hands them over.
  std::function<Status(const std::string& row, const SentEvent& event)> route = {};
};

// How often a dispatcher looks for what, and after how long it announces a job again.
struct DispatcherPace {
  Duration outbox, retries, reaper, stale, stale_after;
};
DispatcherPace pace_of(const WorkerSpec& spec);

// A record that is a row of the engine's outbox.
struct EngineRow {
  std::string id = {};
  bool is_parked = false;
  // Where its value was shown:
  std::string kind = "unknown";  // announce_task, route_event
  JobId task = {};
  std::int64_t run = 0;  // of the task
  std::string target = {}, body = {};
  std::int64_t tries = 0;  // that failed
};

// Hands jobs in, each in one commit with the row that announces it.
class EngineClient {
 public:
  virtual ~EngineClient() = default;
  virtual Result<Enqueued> enqueue(const NewJob& job) = 0;
};

// What somebody who uses the engine hands in, and what he is told.
struct CallerOrder {
  enum class Way { submit, submit_and_wait, send_event };
  Way way = Way::submit;
  NewJob job = {};       // of an event: its target is the queue, its body the payload
  Duration patience{0};  // of one who waits
};
struct CallerAnswer {
  JobId id = {};
  bool existed = false;
  std::optional<JobState> state = {};  // of one who waited
};
std::string_view name_of(CallerOrder::Way way);
std::optional<CallerOrder::Way> way_from(std::string_view name);

// A recurring schedule, as a person declares, pauses or resumes it.
struct ScheduleOrder {
  enum class Kind { declare, pause, resume };
  Kind kind = Kind::declare;
  Recurring recurring = {};  // of the others only the name
  NewJob job = {};           // of each window
};

class RunningWorker {
 public:
  virtual ~RunningWorker() = default;
  virtual Status start() = 0;
  virtual void shutdown() = 0;  // in good order
  // Of a caller. May be called by several tasks at once.
  virtual Result<CallerAnswer> ask(const CallerOrder& order);
};

struct EngineInfo {
  std::string name;
  std::string summary;
  std::set<std::string> capabilities;  // beside those of its driver
  // The longest that it lets pass before it asks again: an empty queue, and a store that is away.
  Duration longest_poll{2'000}, longest_outage{30'000};
  std::function<Result<std::unique_ptr<RunningWorker>>(const EngineTerms&)> make;
  // Where it has flows and outputs. Under that name, which nobody else has.
  std::function<Result<std::unique_ptr<EngineDesk>>(Runtime&, Driver&, const std::string& name,
                                                    std::uint64_t seed)>
      desk = {};
  std::vector<std::string> own_types = {};  // of jobs that it makes and runs for itself
  // Over a session of the person's own.
  std::function<Status(Clock&, Session&, const ScheduleOrder&)> schedule = {};
  std::vector<std::string_view> broken = {};  // of a mutant: the rules that it breaks
  // Of an engine with an outbox. What a record is, by its key and, if it is at hand, its value.
  std::function<std::optional<EngineRow>(const std::string& key, const std::string* value)> row_in =
      {};
  std::function<Result<std::unique_ptr<EngineClient>>(Runtime&, Driver&, std::uint64_t seed)>
      make_client = {};
};

// What can go wrong in a plan with workers: the store is away, for everybody or for one worker;
// calls take effect, and their answers are lost, everybody's or one worker's.
inline constexpr std::string_view engine_faults[] = {"store_away", "answers_lost"};

// The profile that an engine on such a driver is judged by.
Profile with_engine(Profile profile, const EngineInfo& engine);

// Whether it can be run in virtual time on such a driver: a sentence where not.
std::optional<std::string> why_no_engine(const DriverInfo& driver, const Profile& profile);

// A driver that is kept from run to run, since to make it takes long; lives by a clock that stands
// still. Null: one is made for the run. No two of a place are used at once.
struct KeptDriver {
  Driver* driver = nullptr;
  int place = 0;
};

// Where the driver passes gates of its own they are decided, too; any other is interleaved at the
// boundaries of its calls. After a run that hung the driver is still in use. The faults are those
// of the catalogue that a plan may have. Requires: the plan has workers; a driver that passes gates
// of its own is not kept.
RunResult run_engine(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
                     const EngineInfo& engine, const std::string& driver_name,
                     std::span<const FaultInfo> faults = {}, const KeptDriver& kept = {});

}  // namespace assay
