// Questions that several families ask of a reserve.
#pragma once

#include "harness/judge/property.h"

namespace assay {

inline bool same_time(const Profile& profile, Instant a, Instant b) {
  return (a < b ? b - a : a - b) < profile.time_resolution;
}

// Whether what keeps or brings back the job is a lease that ran out: not yet handled, or put off by
// it.
inline bool lost_its_lease(const Moment& moment, const JobFacts& job) {
  return moment.facts.lapsed(job, moment.now) ||
         (job.phase == Phase::waiting && job.cause == Cause::expiry);
}

// Calls `look` with the facts of each asked queue, or, for a claim by id, of the job's if it is
// asked.
template <class Look>
void each_asked(const Moment& moment, const Reserve& request, Look look) {
  for (const std::string& name : request.queues)
    if (const QueueFacts* queue = moment.facts.queue(name)) look(*queue);
}
// Whether `is` says yes to one of the asked queues.
template <class Is>
bool is_any_asked(const Moment& moment, const Reserve& request, Is is) {
  for (const std::string& name : request.queues)
    if (const QueueFacts* queue = moment.facts.queue(name); queue && is(*queue)) return true;
  return false;
}

// A job that the reserve might wrongly hand out: with a claim by id the job named, else the first
// of an asked queue that `pick` finds; null if there is none.
template <class Fits, class Pick>
const JobFacts* tempting(const Moment& moment, const Reserve& request, Fits fits, Pick pick) {
  if (request.job_id) {
    const JobFacts* job = moment.facts.find(*request.job_id);
    return job && !job->spoiled && fits(*job) ? job : nullptr;
  }
  const JobFacts* found = nullptr;
  each_asked(moment, request, [&](const QueueFacts& queue) {
    if (const JobFacts* job = found ? nullptr : pick(queue); job && fits(*job)) found = job;
  });
  return found;
}

// A job in that phase, of an asked queue; or just whether there is one, which no job is looked at
// for. Of jobs that are done only the latter is known, unless the reserve names one.
const JobFacts* tempting_in(const Moment& moment, const Reserve& request, Phase phase);
bool is_any_in(const Moment& moment, const Reserve& request, Phase phase);
// A waiting one whose time is still to come: the farthest, or with `within` one due that soon.
const JobFacts* tempting_future(const Moment& moment, const Reserve& request);
const JobFacts* due_in(const Moment& moment, const Reserve& request, Duration wait);
// One whose lease is alive: the one that lives longest, or one that expires after exactly `wait`.
const JobFacts* tempting_live(const Moment& moment, const Reserve& request);
bool is_any_live(const Moment& moment, const Reserve& request);
const JobFacts* expiring_in(const Moment& moment, const Reserve& request, Duration wait);

}  // namespace assay
