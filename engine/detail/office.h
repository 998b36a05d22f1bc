// Office: what the loops of a dispatcher share.
//
// What changes is guarded by `monitor`, which is not held during a call of a driver or a channel.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

#include "engine/detail/line.h"
#include "engine/dispatcher.h"
#include "harness/contract/random.h"

namespace assay::engine::detail {

// Announced: what was announced lately, so that it is not announced at every look. Forgetting it
// does no harm: it is announced once more.
class Announced {
 public:
  explicit Announced(Duration again_after) : again_after_(again_after) {}

  // Whether the task is to be announced for this reason, which it was not yet, or long ago.
  bool is_due(const JobId& task, const std::string& why, Instant now) const;
  // That it is to be, once more; or that it was.
  enum class What { is_to_be, was };
  void note(const JobId& task, const std::string& why, Instant now, What what);

 private:
  struct Entry {
    Instant at = {};
    int times = 0;
  };

  const Duration again_after_;
  std::unordered_map<std::string, Entry> entries_;      // by task and reason
  std::deque<std::pair<std::string, Instant>> oldest_;  // what was noted, and when
};

class Office {
 public:
  Office(Runtime& runtime, Driver& driver, DispatcherOptions options);

  Instant now() const { return clock.now(); }
  // The time that leases are judged by.
  Result<Instant> store_now() const;

  void tell(const JobId& task, std::int64_t run, Happening what);
  bool ends() const;
  void hint();
  Duration drawn_up_to(Duration longest);
  Duration delay_of_row(std::int64_t tries);

  // Writes the row that announces the task, unless there is one, or it was announced for the same
  // reason lately. The error is trouble of the store.
  std::optional<Error> announce(Line& line, LoopName loop, const Job& task, const std::string& why);
  void note(const JobId& task, const std::string& why, Announced::What what);

  Clock& clock;
  Driver& driver;
  const DispatcherOptions options;
  const Profile profile;
  const std::unique_ptr<Monitor> monitor;

  // --- guarded ---
  bool is_ending = false;
  std::uint64_t hints = 0;
  DispatcherTallies tallies;

 private:
  Random random_;
  Announced announced_;
};

// Why a task that waits is announced: its next run.
std::string why_of_run(std::int64_t run);

// One of the four.
class Loop {
 public:
  explicit Loop(Office& office) : office_(office) {}
  virtual ~Loop() = default;

  // Whether there is more to look at right now. The error is trouble of the store. Not thread-safe.
  virtual Result<bool> turn(Line& line) = 0;

 protected:
  Office& office_;
};

std::unique_ptr<Loop> make_loop(LoopName name, Office& office);

// A commit on the line's session.
Result<Committed> commit(Line& line, Instant now, const Commit& commit);

}  // namespace assay::engine::detail
