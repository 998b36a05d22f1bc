#include "engine/admin.h"

#include "harness/contract/records.h"

namespace assay::engine {

static constexpr std::int64_t page_size = 200;
static const std::string prefix = "queue:";

Status Admin::each_job(const std::string& queue, std::optional<JobState> state,
                       const std::function<bool(const Job&)>& look) {
  std::optional<std::string> cursor;
  do {
    auto page = session_.list(clock_.now(), {queue, state, page_size, cursor});
    if (!page) return page.error();
    for (const Job& job : page->jobs)
      if (!look(job)) return Done{};
    cursor = page->cursor;
  } while (cursor);
  return Done{};
}

Status Admin::each_dead(const std::string& queue,
                        const std::function<bool(const DeadEntry&)>& look) {
  std::optional<std::string> cursor;
  do {
    auto page = session_.dead(clock_.now(), {queue, page_size, cursor});
    if (!page) return page.error();
    for (const DeadEntry& entry : page->entries)
      if (!look(entry)) return Done{};
    cursor = page->cursor;
  } while (cursor);
  return Done{};
}

Result<QueueStats> Admin::stats(const std::string& queue) {
  QueueStats stats;
  const auto earlier = [](std::optional<Instant>& so_far, const std::optional<Instant>& at) {
    if (at && (!so_far || *at < *so_far)) so_far = at;
  };
  const Status read = each_job(queue, std::nullopt, [&](const Job& job) {
    ++stats.jobs[job.state];
    // Due since the later of the two.
    if (job.state == JobState::ready)
      earlier(stats.oldest_ready,
              job.run_at && job.created_at ? std::max(job.run_at, job.created_at) : job.created_at);
    if (job.state == JobState::scheduled) earlier(stats.next_scheduled, job.run_at);
    return true;
  });
  if (!read) return read.error();
  return stats;
}

Result<bool> Admin::is_busy(const std::string& queue) {
  for (const JobState state : {JobState::ready, JobState::leased, JobState::scheduled}) {
    bool found = false;
    const Status read = each_job(queue, state, [&](const Job&) {
      found = true;
      return false;
    });
    if (!read) return read.error();
    if (found) return true;
  }
  return false;
}

Status Admin::purge(const JobId& id) {
  // Half of it would leave a job that waits for ever.
  if (!profile_.has("cancel") || profile_.replay == Replay::none)
    return unsupported(
        "dead jobs cannot be purged here: that takes a requeue and a cancel, and the "
        "profile " +
        profile_.name + " lacks one of them");
  const auto back = session_.requeue(clock_.now(), {id, end_of_time, false});
  if (!back) return back.error();
  const auto gone = session_.cancel(clock_.now(), {back->job_id});
  if (!gone) return gone.error();
  return Done{};
}

Status Admin::remember(const std::string& queue) {
  Records* records = session_.records();
  if (!records) return Done{};
  const auto known = records->read(clock_.now(), prefix + queue);
  if (!known) return known.error();
  if (*known) return Done{};
  Commit commit;
  commit.puts = {{prefix + queue, "", std::nullopt}};
  const auto put = records->commit(clock_.now(), commit);
  if (!put) return put.error();
  return Done{};
}

Result<std::vector<std::string>> Admin::queues() {
  std::vector<std::string> names;
  Records* records = session_.records();
  if (!records) return names;
  Scan scan{prefix, std::nullopt, page_size};
  for (bool more = true; more;) {
    const auto page = records->scan(clock_.now(), scan);
    if (!page) return page.error();
    for (const Record& record : page->records) names.push_back(record.key.substr(prefix.size()));
    more = page->more && !page->records.empty();
    if (more) scan.after = page->records.back().key;
  }
  return names;
}

Result<bool> Admin::knows(const std::string& queue) {
  if (Records* records = session_.records()) {
    const auto known = records->read(clock_.now(), prefix + queue);
    if (!known) return known.error();
    if (*known) return true;
  }
  const auto page = session_.list(clock_.now(), {queue, std::nullopt, 1, std::nullopt});
  // Who cannot list knows nothing of queues: any may be there.
  if (!page && page.error().code == ErrorCode::unsupported) return true;
  if (!page) return page.error();
  return !page->jobs.empty() || page->cursor.has_value();
}

}  // namespace assay::engine
