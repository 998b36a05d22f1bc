// Worker: runs the jobs of some queues, several at once, each under a lease that it keeps alive.
//
// Thread-safe, but that start and shutdown are called by one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/events.h"
#include "engine/wakeups.h"
#include "harness/contract/driver.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

struct WorkerOptions {
  std::string name = "worker";
  std::vector<std::string> queues = {};
  std::map<std::string, HandlerSpec> handlers = {};  // by the type of job
  std::vector<Middleware> middleware = {};           // the first is the outermost

  int concurrency = 1;                     // so many jobs at once
  std::optional<Duration> lease = {};      // absent: the profile's
  std::optional<RetryPolicy> policy = {};  // absent: the profile's; not where the store decides
  bool group_acks = false;                 // acks that wait at the same time are sent together
  // Whoever is to run later is announced by a row of the outbox, in the commit of its settle.
  bool outbox = false;
  // Where claims name a job: it looks for names, too. False: it knows only what it hears.
  bool looks_itself = true;

  // How often it sees to it that flows are swept (engine/flows.h), where the driver keeps records;
  // the workers of a store take turns. Absent: somebody else does.
  std::optional<Duration> sweep_every = Duration{60'000};

  // Between two looks into empty queues: twice as long each time, with jitter.
  Duration poll_min{50}, poll_max{2'000};
  // After a claim that the store did not answer: full jitter, twice the window each time.
  Duration outage_min{100}, outage_max{30'000};
  Duration defer{1'000};  // how long a job waits whose type runs often enough already

  Duration grace{30'000};        // at shutdown handlers have so long before they are interrupted
  Duration interruption{5'000};  // and so long after that

  std::uint64_t seed = 0;        // of all jitter
  Observer* observer = nullptr;  // borrowed for the worker's life
  WakeUps* wakeups = nullptr;    // borrowed for the worker's life; null: it polls
};

// What was left when a worker ended.
struct Ending {
  std::vector<Delivery> did_not_return;  // their handlers still run, on tasks that were let go
};

class Worker {
 public:
  // Refuses what makes no sense, with a sentence. Runtime and driver are borrowed for life; a
  // handler that does not return may use the runtime's clock for as long as it runs.
  static Result<std::unique_ptr<Worker>> make(Runtime& runtime, Driver& driver,
                                              WorkerOptions options);
  ~Worker();  // shuts down, where nobody did

  // An error where the machine has no more tasks to give: then nothing runs. Requires: called once.
  Status start();

  // No further claim; handlers may end within the grace period, then they are interrupted, then
  // they are left alone. What was interrupted is put back with no failure recorded, where a call
  // does that. Returns in bounded time, whatever the handlers do: the periods above and the time
  // that the store takes for its answers. A second call returns at once.
  Ending shutdown();

  // Handlers have no grace any more: a shutdown that is under way, or that comes, interrupts them
  // at once. By anybody.
  void hurry();

  Tallies tallies() const;

 private:
  class Body;
  explicit Worker(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace assay::engine
