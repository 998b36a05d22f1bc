// Schedule: a job that is made again and again, by a cron expression (engine/cron.h, in UTC).
//
// Schedules are records. Each minute that fits is a window, and a window makes one job, whose id
// names both: whoever fires it moves the schedule on and makes the job in one commit, so any number
// of schedulers may try.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cron.h"
#include "harness/contract/driver.h"
#include "harness/contract/records.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

// What becomes of windows that nobody fired in time.
enum class MissedRuns {
  latest,    // of all that are due, only the latest makes a job
  skip,      // they make none
  catch_up,  // the latest of them make one each, at most so many
};
std::string_view name_of(MissedRuns missed);
std::optional<MissedRuns> missed_runs_from(std::string_view name);

struct Schedule {
  std::string name = {};
  std::string cron = {};

  // Of each job.
  std::string queue = {};
  std::string type = {};
  std::string payload = {};
  std::optional<std::int64_t> limit = {};
  std::optional<Duration> timeout = {};
  std::optional<std::int64_t> priority = {};

  MissedRuns missed = MissedRuns::latest;
  std::int64_t catch_up = 10;  // so many of those that were missed, 1 to most_catch_up
  Duration in_time{60'000};    // a window that is fired by then was not missed

  bool operator==(const Schedule&) const = default;
};

inline constexpr std::int64_t most_catch_up = 100;

// Says what is wrong with it in a sentence.
std::optional<Error> objection_to(const Schedule& schedule);

// How it stands.
struct ScheduleView {
  Schedule schedule = {};
  bool is_paused = false;
  std::optional<Instant> next = {};  // the first window that was not dealt with; absent: none
  std::optional<Instant> last = {};  // the last that made a job
  std::int64_t fired = 0;            // so many jobs were made
  // Why the last one that was to be made was refused; such a window is passed over.
  std::optional<std::string> last_error = {};

  bool operator==(const ScheduleView&) const = default;
};
struct SchedulePage {
  std::vector<ScheduleView> schedules = {};  // in the order of their names, as bytes
  std::optional<std::string> after = {};     // ask again behind this; absent: that was all
};

// "cron/nightly/2030-01-01T00:00Z".
JobId window_id(const std::string& schedule, Instant window);

// The schedules of a namespace. Each call may be made again when its answer was lost. Not
// thread-safe. The clock and the session are borrowed for life.
class Schedules {
 public:
  Schedules(Clock& clock, Session& session) : clock_(clock), session_(session) {}

  // Makes it, or changes the one of that name; the same once more changes nothing. Windows of the
  // past are not fired, nor is one that fired before.
  Status declare(const Schedule& schedule);

  // While paused no window makes a job, and those that pass meanwhile never will.
  Status pause(const std::string& name);
  Status resume(const std::string& name);

  // Its jobs stay.
  Status remove(const std::string& name);

  Result<ScheduleView> get(const std::string& name);
  Result<SchedulePage> list(std::optional<std::string> after = {}, std::int64_t limit = 100);

 private:
  template <class Change>
  Status change(const std::string& name, Change make);

  Clock& clock_;
  Session& session_;
};

}  // namespace assay::engine
