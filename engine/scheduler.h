// Scheduler: makes the jobs of schedules (engine/schedule.h) when their time has come. Any number
// may run at once, anywhere, and be killed anywhere: a window makes one job.
//
// Thread-safe, but that start and shutdown are called by one.
#pragma once

#include <memory>
#include <string>

#include "engine/events.h"
#include "engine/schedule.h"

namespace assay::engine {

struct SchedulerOptions {
  std::string name = "scheduler";
  Duration every{1'000};  // between two looks, unless a window comes before
  std::int64_t page = 100;
  bool outbox = false;  // each job is announced by a row of the outbox, in the commit that makes it
  // After a call that the store did not answer: full jitter, twice the window each time.
  Duration outage_min{100}, outage_max{30'000};
  std::uint64_t seed = 0;        // of all jitter
  Observer* observer = nullptr;  // borrowed for life; told under a lock of the scheduler's own
};

class Scheduler {
 public:
  // Refuses what makes no sense, with a sentence. Runtime and driver are borrowed for life.
  static Result<std::unique_ptr<Scheduler>> make(Runtime& runtime, Driver& driver,
                                                 SchedulerOptions options);
  ~Scheduler();  // shuts down, where nobody did

  // An error where the machine has no more tasks to give: then nothing runs. Requires: called once.
  Status start();
  // Returns when it has ended the call that it is in.
  void shutdown();

  // One look at all schedules, by the caller; the next window that it saw, if any. Requires: not
  // started.
  Result<std::optional<Instant>> turn();

 private:
  class Body;
  explicit Scheduler(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace assay::engine
