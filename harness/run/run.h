// run: takes a plan and a driver, and produces a history. It owns sessions and time. It judges
// nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/fault/fault.h"
#include "harness/fault/record.h"
#include "harness/history/history.h"
#include "harness/plan/plan.h"
#include "harness/schedule/store_gates.h"

namespace assay {

class Journal;  // harness/fault/journal.h
class Network;  // harness/run/network.h
namespace detail {
class Patience;  // harness/run/detail/patience.h
class Threads;   // harness/run/detail/threads.h
}  // namespace detail

struct RunResult {
  History history;
  std::vector<std::size_t> step_of_op;  // by operation id: the plan's step that made it
  std::optional<Error> trouble;  // the run could not be carried through: what the driver answered
  std::vector<int> moves;   // of the plan's schedule: the choices that give the same moves again
  bool lost_sight = false;  // not all that moved was decided by the schedule
  bool hung = false;        // a client never came back: it still has the driver and its session
  std::vector<Trip> trips;  // to the store, where we stand before it
  std::vector<int> gates_of_step;   // where they are counted: how many its call passed
  std::size_t cuts = 0;             // clients that were cut off, of those that were to be
  std::vector<FaultRecord> faults;  // those whose turn came
  // Some fault could not be had, or showed no effect: nothing can be concluded from the run.
  std::optional<std::string> void_because;
  // A client went without an answer although nothing was wrong yet: its patience was too short for
  // this machine, and is longer now.
  bool was_too_hasty = false;
};

// What the clients of a plan with a schedule move on.
struct Stage {
  Carrier* carrier = nullptr;                       // null: threads, made for the run
  Interleaving interleaving = Interleaving::calls;  // the driver's
  Strategy* strategy = nullptr;                     // decides instead of the plan's schedule
  // Between the record of a call and the call itself, with everybody else at a gate.
  std::function<void(OpId)> before_call = {};
  // Clients go to their store through these; then they are the carrier, too.
  StoreGates* store = nullptr;
  // Who cuts clients off within their calls, where somebody can; else that is done at the
  // boundaries of calls.
  CallCuts* cuts = nullptr;
  bool counts = false;  // the gates of each step
  // Of those who run plans of one name at the same time, each has a namespace of its own.
  int place = 0;
  std::span<const FaultInfo> faults = {};  // that plans may have
  std::string scratch = {};                // a folder for what faults need; empty: there is none
  Journal* journal = nullptr;              // where faults are written down; null: nowhere
  Backend* backend = nullptr;              // the server that we started for the driver
  bool has_foreign_server = false;         // the store has a server, and it is not ours
  Disk* disk = nullptr;                    // of ours, that the store's data are on
  std::string why_no_disk = {};            // where there is none
  Network* network = nullptr;              // clients go to their store over its lines
  // The same url with such patience: a client whose line is dead gives up soon.
  std::function<std::string(std::string, Duration)> impatient = {};
  detail::Patience* patience = nullptr;  // that clients have; null: as much as the driver has
  // Told of faults as they begin, are proven and end; by any thread.
  std::function<void(const FaultEvent&)> on_fault = {};
  detail::Threads* threads = nullptr;  // for clients that move at once; null: made for the run
};

// Whether two runs of it give the same history. They may not where clients move at once and no
// schedule says how, or where time passes by itself.
bool repeats_exactly(const Plan& plan, const Profile& profile);

// Sets a fresh namespace up, opens a session a client, makes the steps in order, free ones by the
// plan's schedule or else on a thread a client, closes, tears down. On a store whose clock runs by
// itself the plan is made brief, and waited for.
RunResult run(const Plan& plan, Driver& driver, const std::string& driver_name,
              const Stage& stage = {});

// A store that goes away and comes back while a plan runs. Each call may give another driver, which
// has the namespace set up: then every client starts again on it. Null: all goes on as before. An
// error ends the run: it is the trouble. Drivers given must live until the run is over.
struct Interruptions {
  std::function<Result<Driver*>(std::size_t step)> before_step;
  std::function<Result<Driver*>(const Error&)> after_failure;  // unavailable, or internal
};
// The namespace is there, and stays. A call that failed so is recorded as one that nobody knows the
// end of.
RunResult run_interrupted(const Plan& plan, Driver& driver, const std::string& driver_name,
                          const Interruptions& interruptions);

}  // namespace assay
