#include "properties/detail/reserves.h"

namespace assay {

const JobFacts* tempting_in(const Moment& moment, const Reserve& request, Phase phase) {
  return tempting(
      moment, request, [&](const JobFacts& job) { return job.phase == phase; },
      [&](const QueueFacts& queue) -> const JobFacts* {
        const auto& members = queue.members[static_cast<std::size_t>(phase)];
        return members.empty() ? nullptr : &moment.facts.job(*members.begin());
      });
}

bool is_any_in(const Moment& moment, const Reserve& request, Phase phase) {
  if (request.job_id) return tempting_in(moment, request, phase) != nullptr;
  return is_any_asked(moment, request,
                      [&](const QueueFacts& queue) { return queue.has_any(phase); });
}

const JobFacts* tempting_future(const Moment& moment, const Reserve& request) {
  return tempting(
      moment, request,
      [&](const JobFacts& job) {
        return job.phase == Phase::waiting && job.not_before > moment.now;
      },
      [&](const QueueFacts& queue) -> const JobFacts* {
        // No job may run later than it surely does.
        if (queue.waiting.empty() || queue.waiting.back().first <= moment.now) return nullptr;
        return &moment.facts.job(queue.waiting.back().second);
      });
}

static const JobFacts* at_instant(const Facts& facts, const TimedJobs& jobs, Instant when) {
  if (jobs.empty() || jobs.back().first < when || jobs.begin()->first > when) return nullptr;
  auto at = jobs.lower_bound({when, 0});
  return at != jobs.end() && at->first == when ? &facts.job(at->second) : nullptr;
}

const JobFacts* due_in(const Moment& moment, const Reserve& request, Duration wait) {
  return tempting(
      moment, request,
      [&](const JobFacts& job) {
        return job.phase == Phase::waiting && job.not_before == moment.now + wait;
      },
      [&](const QueueFacts& queue) {
        return at_instant(moment.facts, queue.waiting, moment.now + wait);
      });
}

const JobFacts* tempting_live(const Moment& moment, const Reserve& request) {
  return tempting(
      moment, request,
      [&](const JobFacts& job) {
        return job.phase == Phase::leased && !moment.facts.lapsed(job, moment.now);
      },
      [&](const QueueFacts& queue) -> const JobFacts* {
        return queue.leased.empty() ? nullptr : &moment.facts.job(queue.leased.back().second);
      });
}

bool is_any_live(const Moment& moment, const Reserve& request) {
  if (request.job_id) return tempting_live(moment, request) != nullptr;
  return is_any_asked(moment, request, [&](const QueueFacts& queue) {
    return !queue.leased.empty() && !moment.facts.lease_dead(queue.leased.back().first, moment.now);
  });
}

const JobFacts* expiring_in(const Moment& moment, const Reserve& request, Duration wait) {
  return tempting(
      moment, request,
      [&](const JobFacts& job) {
        return job.phase == Phase::leased && job.lease().expires_at == moment.now + wait;
      },
      [&](const QueueFacts& queue) {
        return at_instant(moment.facts, queue.leased, moment.now + wait);
      });
}

}  // namespace assay
