// Shop: a queue in memory and whoever works on it, in virtual time under a schedule.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "engine/worker.h"
#include "harness/schedule/virtual_runtime.h"
#include "tests/engine/troubled_driver.h"

namespace assay::engine {

using namespace std::chrono_literals;

struct Terms {
  std::uint64_t seed = 1;
  std::string profile = "reference";
  int slow_percent = 0;
  std::string driver = "memory";
  std::optional<std::string> url = {};
  std::string scratch = {};
  std::function<void(Profile&)> alter = {};
  const Trouble* trouble = nullptr;  // stands before the driver of the workers; borrowed
  bool pct = false;
  bool threads = false;  // not fibers
};

class Shop : public Observer {
 public:
  explicit Shop(Terms terms = {});
  ~Shop() override;

  // Runs it as the first task, with a namespace set up; the run must be whole.
  VirtualRun run(const std::function<void()>& body);

  // --- inside of a run ---
  Runtime& runtime() { return runtime_; }
  Clock& clock() { return runtime_.clock(); }
  Instant now() { return clock().now(); }
  Driver& driver() { return wrapped_ ? *wrapped_ : *driver_; }
  void pass(Duration length) { clock().sleep_until(now() + length, {}); }

  // A worker named "w" for queue "q" that tells us of its events.
  WorkerOptions options(Handler handler, int concurrency = 1);
  std::unique_ptr<Worker> start(WorkerOptions options);

  JobId put(NewJob job = {});  // absent parts: queue "q", type "t"
  JobView get(const JobId& id);
  JobState state(const JobId& id) { return get(id).job.state; }
  std::vector<JobState> states();
  void cancel(const JobId& id);
  // Passes time until every job that was put has ended; false: they had not after an hour.
  bool all_end(Duration at_most = 1h);
  const std::vector<JobId>& jobs() const { return jobs_; }

  // --- what happened ---
  void see(const Event& event) override { events.push_back(event); }
  std::vector<Event> events;
  std::vector<std::string> story() const;
  template <class What>
  std::vector<Event> all() const {
    std::vector<Event> found;
    for (const Event& event : events)
      if (std::holds_alternative<What>(event.what)) found.push_back(event);
    return found;
  }
  template <class What>
  std::vector<Event> all_of(const JobId& id) const {
    std::vector<Event> found;
    for (const Event& event : all<What>())
      if (event.delivery.job_id == id) found.push_back(event);
    return found;
  }

 private:
  Terms terms_;
  std::unique_ptr<Strategy> strategy_;
  VirtualRuntime runtime_;
  std::unique_ptr<Driver> driver_, wrapped_;
  std::unique_ptr<Session> desk_;
  std::vector<JobId> jobs_;
};

inline HandlerResult succeeds(Context&) { return Success{}; }
inline HandlerResult fails(Context&) { return Failure{"no luck"}; }
// Sleeps for so long, and succeeds unless it is interrupted.
Handler sleeps(Duration length);

template <class What>
const What& what(const Event& event) {
  return std::get<What>(event.what);
}

}  // namespace assay::engine
