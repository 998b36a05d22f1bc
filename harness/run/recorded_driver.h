// RecordedDriver: passes every call on to another driver and writes down what happened: a history
// of whatever uses it, be it a plan, an engine or a person.
//
// Each session is a client of its own, under the name that it was opened by; where that name was
// there before, a number is added. Thread-safe as a driver is; `record`, `history`, `clients` and
// `take_events` by anybody at any time.
//
// Calls that are made together, by enqueue_all or ack_all, are written as calls that overlap. So is
// a commit of Records: its settle and each of its enqueues is one, all of them begin before it and
// end after it. Those of its enqueues whose turn did not come, and all that a refused commit kept
// from being done, are refused as unavailable: nothing asked for them. What a commit does to
// records alone is not in a history.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "harness/contract/driver.h"
#include "harness/history/history.h"

namespace assay {

namespace detail {
class StoreClock;  // harness/run/detail/store_clock.h
}

struct RecordedOptions {
  std::string driver = "";  // names, for the history
  std::string plan = "";
  // The clock that the driver was made with, borrowed for life; needed where the driver lives by
  // its own clock (`clock: store`, `mixed`) and claims `virtual_time`. Where it does not claim
  // that, how far the store's clock may be from the machine's is measured; where it lives by its
  // callers', theirs is written.
  const Clock* clock = nullptr;
  // Told of each event when it is written down, in their order, with the names of clients so far.
  std::function<void(const Event&, const std::vector<std::string>& clients)> told = {};
};

class RecordedDriver final : public Driver {
 public:
  // The other one is borrowed for life.
  RecordedDriver(Driver& inner, RecordedOptions options);
  ~RecordedDriver() override;

  // --- what happened ---

  // All that was not taken; calls that are under way have no return.
  History history() const;
  // And forgets them, so that a long history need not fit in memory. `clients` then has the names.
  std::vector<Event> take_events();
  std::vector<std::string> clients() const;  // by index
  // Requires: one that it opened.
  static int client_of(const Session& session);
  // Puts what somebody else saw in its place: after all that happened so far.
  void record(Event event);
  // Whether the store's clock and the machine's still run alike, where that is measured: if not,
  // nothing can be concluded from the instants. Also made by setup.
  Status compare_clocks();

  // --- Driver ---

  const Profile& profile() const override { return inner_.profile(); }
  Status setup(const Setup& setup) override;
  Status teardown() override { return inner_.teardown(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override;
  Result<Instant> now() override { return inner_.now(); }
  Result<Instant> advance(Duration by) override;
  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override;
  Status health() override { return inner_.health(); }
  Status reopen() override { return inner_.reopen(); }
  Status end() override { return inner_.end(); }

 private:
  friend class RecordedSession;

  struct Begun {
    OpId first = 0;  // of several in a row
    Instant at = {};
  };
  // Without a clock: by that of whoever called last.
  Begun begin(int client, std::optional<Instant> now, std::vector<Request> requests);
  // One for each that began together.
  void end(const Begun& begun, std::vector<Result<Response>> answers);
  void write_down(Event event);  // requires: mutex_ is held
  Instant earliest(Instant callers) const;
  std::optional<Instant> latest(Instant began) const;

  Driver& inner_;
  const RecordedOptions options_;
  const bool by_caller_, in_real_time_;
  mutable std::mutex mutex_;                               // of all that follows
  const std::unique_ptr<detail::StoreClock> store_clock_;  // where it is measured
  Duration offset_{0};           // that the store's clock is ahead of the one it was made with
  Instant callers_ = run_epoch;  // what the caller's clock showed in the last call
  OpId next_op_ = 0;
  std::vector<std::string> clients_;
  std::map<std::string, int> sessions_;  // by name: how many
  std::vector<Event> events_;
};

}  // namespace assay
