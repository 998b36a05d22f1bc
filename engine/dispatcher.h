// Dispatcher: sees to it that whoever can run a task hears of it, whatever was lost.
//
// Four loops, of which any may run any number of times at once, in any number of processes, and
// be killed anywhere: what they know is in the store.
//   outbox           does what the rows of the outbox say (engine/outbox.h)
//   retry scheduler  finds tasks whose later time has come, and has them announced
//   lease reaper     finds tasks whose worker lost its lease: those that have used up their runs
//                    end, the others are announced
//   re-announcer     finds tasks that have been ready for long, and has them announced again
//
// Thread-safe, but that start and shutdown are called by one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/channel.h"
#include "engine/events.h"
#include "engine/outbox.h"
#include "harness/contract/driver.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

struct DispatcherOptions {
  std::string name = "dispatcher";
  // Of each queue whose tasks are announced: where. Borrowed for life.
  std::map<std::string, Channel*> channels = {};
  // Takes an event to its target. Called by the outbox loop alone, one at a time; may see an event
  // more than once, with the same row_id. Empty: the event becomes a job of type "event" in the
  // queue that its target names, in the commit that drops its row, so once.
  std::function<Status(const OutboxRow&)> route = {};
  std::set<LoopName> loops = {LoopName::outbox, LoopName::retry_scheduler, LoopName::lease_reaper,
                              LoopName::re_announcer};

  // Between two turns of a loop, of which the latter half is drawn.
  Duration outbox_every{100}, retries_every{500}, reap_every{1'000}, stale_every{5'000};
  // So long after it could have been claimed a task is announced again; then after twice as long,
  // and so on.
  Duration stale_after{60'000};
  // A turn looks at so many pages of so many, and the next one goes on from there.
  std::int64_t page = 100;
  int pages = 10;

  // Between the tries of a row that fails; after so many runs it is parked.
  RetryPolicy rows{.base = Duration{500}, .cap = Duration{60'000}, .runs = 10};
  // After a call that the store did not answer: full jitter, twice the window each time.
  Duration outage_min{100}, outage_max{30'000};

  std::uint64_t seed = 0;        // of all jitter
  Observer* observer = nullptr;  // borrowed for life; told under a lock of the dispatcher's own
};

struct DispatcherTallies {
  std::int64_t rows_written = 0, rows_performed = 0, rows_failed = 0, rows_parked = 0;
  std::int64_t wakeups_sent = 0, outages = 0;
  std::map<LoopName, std::int64_t> announced = {};  // had rows written for them, by which loop
  std::int64_t ended = 0;                           // by the lease reaper

  void count(const Happening& what);
};

class Dispatcher {
 public:
  // Refuses what makes no sense, with a sentence, and a driver that keeps no records or shows no
  // jobs where a loop needs them. Runtime and driver are borrowed for life.
  static Result<std::unique_ptr<Dispatcher>> make(Runtime& runtime, Driver& driver,
                                                  DispatcherOptions options);
  ~Dispatcher();  // shuts down, where nobody did

  // An error where the machine has no more tasks to give: then nothing runs. Requires: called once.
  Status start();
  // Returns when every loop has ended the call that it is in. What is left is left in the store.
  void shutdown();

  // A row was written: it need not wait for the next turn.
  void hint();

  // One turn of one loop, by the caller: for a program that has its own rhythm. False: there was
  // nothing more to look at. Requires: not started.
  Result<bool> turn(LoopName loop);

  DispatcherTallies tallies() const;

 private:
  class Body;
  explicit Dispatcher(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace assay::engine
