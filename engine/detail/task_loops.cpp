#include "engine/detail/task_loops.h"

#include <algorithm>

#include "engine/detail/outbox_loop.h"
#include "engine/failure.h"

namespace assay::engine::detail {

Result<bool> TaskLoop::turn(Line& line) {
  bool more = false;
  for (const auto& [queue, channel] : office_.options.channels) {
    int pages = office_.options.pages;
    const auto left = look_into(line, queue, pages);
    if (!left.ok()) return left;
    more = more || *left;
  }
  return more;
}

Result<bool> TaskLoop::look_into(Line& line, const std::string& queue, int& pages) {
  for (; pages > 0; --pages) {
    List list{queue, state_, office_.options.page, {}};
    if (const auto cursor = cursors_.find(queue); cursor != cursors_.end())
      list.cursor = cursor->second;
    const auto now = office_.store_now();
    if (!now.ok()) return now.error();
    now_ = *now;
    cursors_.erase(queue);  // should it be refused, the next look begins anew
    const auto page = line.call([&](Session& s) { return s.list(office_.now(), list); });
    if (!page.ok()) return page.error();
    for (const Job& task : page.value().jobs) {
      if (office_.ends()) return false;
      if (auto trouble = look_at(line, task)) return *trouble;
    }
    if (!page.value().cursor) return false;
    cursors_[queue] = *page.value().cursor;
  }
  return true;
}

std::optional<Error> RetryScheduler::look_at(Line& line, const Job& task) {
  const bool waited =
      task.last_error || (task.run_at && task.created_at && *task.run_at > *task.created_at);
  // Some contracts show it as ready before.
  const bool is_due = task.run_at.value_or(now_) <= now_;
  if (!waited || !is_due) return std::nullopt;
  return office_.announce(line, LoopName::retry_scheduler, task,
                          why_of_run(next_run(office_.profile, task)));
}

// A page does not show leases.
std::optional<Error> LeaseReaper::look_at(Line& line, const Job& task) {
  const auto seen = line.call([&](Session& s) { return s.get(office_.now(), {task.id}); });
  if (!seen.ok()) {
    if (is_trouble(seen.error())) return seen.error();
    return std::nullopt;
  }
  const auto& [job, lease, dead] = *seen;
  if (job.state != JobState::leased || !lease || lease->expires_at > now_) return std::nullopt;
  if (can_only_end(job)) return end(line, job);
  return office_.announce(line, LoopName::lease_reaper, job, "lease " + lease->token);
}

// Whether the store will not hand it out any more: its last run is the one that was lost.
bool LeaseReaper::can_only_end(const Job& task) const {
  const Profile& profile = office_.profile;
  return profile.claim_style == ClaimStyle::by_id && profile.expiry_counts == ExpiryCounts::yes &&
         profile.counter == Counter::attempt_no &&
         task.attempts >= runs_allowed(profile, task.max_attempts);
}

// A claim makes the store look at the lease, and record what its loss means.
std::optional<Error> LeaseReaper::end(Line& line, const Job& task) {
  Reserve reserve{{task.queue}, office_.profile.lease_ttl, office_.options.name, 1, task.id};
  const auto claims = line.call([&](Session& s) { return s.reserve(office_.now(), reserve); });
  if (!claims.ok()) {
    if (is_trouble(claims.error())) return claims.error();
    return std::nullopt;
  }
  if (claims.value().claims.empty())
    office_.tell(task.id, task.attempts, TaskHandled{LoopName::lease_reaper, true});
  else
    office_.tell(task.id, task.attempts, LeftToLapse{"the store gave out more runs than allowed"});
  return std::nullopt;
}

std::optional<Error> ReAnnouncer::look_at(Line& line, const Job& task) {
  const Instant since =
      std::max(task.created_at.value_or(Instant{}), task.run_at.value_or(Instant{}));
  if (now_ < later(since, office_.options.stale_after)) return std::nullopt;
  return office_.announce(line, LoopName::re_announcer, task,
                          why_of_run(next_run(office_.profile, task)));
}

std::unique_ptr<Loop> make_loop(LoopName name, Office& office) {
  switch (name) {
    case LoopName::outbox:
      break;
    case LoopName::retry_scheduler:
      return std::make_unique<RetryScheduler>(office);
    case LoopName::lease_reaper:
      return std::make_unique<LeaseReaper>(office);
    case LoopName::re_announcer:
      return std::make_unique<ReAnnouncer>(office);
  }
  return std::make_unique<OutboxLoop>(office);
}

}  // namespace assay::engine::detail
