// WakeUps: a client that sleeps until there may be something to claim.
//
// Wake-ups are hints. They may be lost, come twice, in another order or for nothing, and none of
// them claims a job. But while the store is well, whatever makes a job runnable at once (an
// enqueue, alone or among many or in a commit; a retry, nack or requeue that is due; a resume)
// wakes whoever waits for its queue within milliseconds. That a job's time has come, or a lease has
// ended, wakes nobody: who waits for that must know the time.
//
// What comes while nobody waits is kept, up to a bound; beyond it, of many wake-ups for one queue
// one is kept. Not thread-safe: one a client.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "harness/contract/job.h"
#include "harness/contract/result.h"

namespace assay {

struct WakeUp {
  std::string queue = {};            // one of those that were asked for
  std::optional<JobId> job_id = {};  // absent: some job, or jobs
  bool operator==(const WakeUp&) const = default;
};

class WakeUps {
 public:
  virtual ~WakeUps() = default;

  // The next one; nothing once so much time has passed, by a clock on the wall, or a stop is
  // requested. An error where the way to the store is lost, once. It is found again by itself, and
  // then every queue is woken once, since nobody knows what happened meanwhile.
  virtual Result<std::optional<WakeUp>> wait(Duration at_most, std::stop_token stop) = 0;
};

}  // namespace assay
