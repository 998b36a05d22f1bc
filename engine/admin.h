// Admin: looks into queues and moves jobs by hand, by the calls that the contract has.
//
// Not thread-safe: it uses one session.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/contract/clock.h"
#include "harness/contract/profile.h"
#include "harness/contract/session.h"

namespace assay::engine {

struct QueueStats {
  std::map<JobState, std::int64_t> jobs = {};  // by state; those that there are
  std::optional<Instant> oldest_ready = {};    // since when the one waits that waits longest
  std::optional<Instant> next_scheduled = {};  // when the next one is due

  std::int64_t of(JobState state) const {
    const auto at = jobs.find(state);
    return at == jobs.end() ? 0 : at->second;
  }
};

class Admin {
 public:
  // All are borrowed for life; the profile is the driver's.
  Admin(Session& session, Clock& clock, const Profile& profile)
      : session_(session), clock_(clock), profile_(profile) {}

  // Page by page, until `look` says that it has seen enough, or there are no more.
  Status each_job(const std::string& queue, std::optional<JobState> state,
                  const std::function<bool(const Job&)>& look);
  Status each_dead(const std::string& queue, const std::function<bool(const DeadEntry&)>& look);

  // Reads all jobs of the queue.
  Result<QueueStats> stats(const std::string& queue);

  // Whether any job waits, is due later or is run by somebody.
  Result<bool> is_busy(const std::string& queue);

  // A dead job leaves the dead letters for good: it is cancelled. No call of the contract does that
  // to a dead one, so it is at first put back to where nobody can claim it, at the end of time. A
  // job with a key has that key for an instant: whoever submits it again then is told that there is
  // such a job, and has none. Where the answer to the second call is lost the job is scheduled at
  // the end of time, and may be cancelled there. Unsupported where the profile lacks either call.
  Status purge(const JobId& id);

  // No call tells the names of queues, so they are written down in records, where the driver has
  // some, by whoever uses a new one through us.
  Status remember(const std::string& queue);
  Result<std::vector<std::string>> queues();
  // It was written down, or has jobs.
  Result<bool> knows(const std::string& queue);

 private:
  Session& session_;
  Clock& clock_;
  const Profile& profile_;
};

}  // namespace assay::engine
