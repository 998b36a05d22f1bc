// Views: what inspection shows. Looking changes nothing, an expired lease is still shown.
#include <algorithm>
#include <tuple>

#include "drivers/memory/paging.h"
#include "drivers/memory/store.h"

namespace assay::memory_queue {

Job Store::show(const Record& record, Instant now) const {
  Job job = record.job;
  job.state = decisions_.shown_state(record, now);
  return job;
}

Result<JobView> Store::get(Instant now, const Get& request) const {
  if (auto objection = objection_to_lack_of(decisions_.profile(), "inspect")) return *objection;
  const Record* record = find(request.job_id);
  if (!record) return not_found("no job is called " + request.job_id);
  JobView view;
  view.job = show(*record, now);
  if (record->lease) {
    view.lease = LeaseView{record->lease->token, record->lease->expires_at, {}};
    if (!record->lease->worker.empty()) view.lease->worker = record->lease->worker;
  }
  view.dead = record->dead;
  return view;
}

Result<JobPage> Store::list(Instant now, const List& request) {
  if (auto objection = objection_to_lack_of(decisions_.profile(), "list_paged")) return *objection;
  if (auto objection = objection_to_queue(request.queue)) return *objection;
  if (auto objection = objection_to_limit(request.limit)) return *objection;
  std::optional<Position> after;
  if (request.cursor) {
    after = position_of("jobs", request.queue, *request.cursor);
    if (!after) return invalid("this listing made no such cursor");
  }
  JobPage page;
  Queue* queue = find_queue(request.queue);
  if (!queue) return page;
  const std::vector<Record*>& jobs = queue->jobs();
  auto next = jobs.begin();
  if (after)
    next = std::partition_point(jobs.begin(), jobs.end(), [&](const Record* record) {
      return std::tie(record->job.created_at, record->job.id) <= std::tie(after->at, after->id);
    });
  for (; next != jobs.end(); ++next) {
    if (request.state && decisions_.shown_state(**next, now) != *request.state) continue;
    if (static_cast<std::int64_t>(page.jobs.size()) == request.limit) {
      const Job& last = page.jobs.back();
      page.cursor = cursor_after("jobs", request.queue, {*last.created_at, last.id});
      break;
    }
    page.jobs.push_back(show(**next, now));
  }
  return page;
}

Result<DeadPage> Store::dead(Instant now, const Dead& request) {
  if (auto objection = objection_to_lack_of(decisions_.profile(), "dlq_ops")) return *objection;
  if (auto objection = objection_to_queue(request.queue)) return *objection;
  if (auto objection = objection_to_limit(request.limit)) return *objection;
  std::optional<Position> after;
  if (request.cursor) {
    after = position_of("dead", request.queue, *request.cursor);
    if (!after) return invalid("this listing made no such cursor");
  }
  DeadPage page;
  const Queue* queue = find_queue(request.queue);
  if (!queue) return page;
  const Graves& graves = queue->graves();
  auto next = after ? graves.upper_bound({after->at, after->id}) : graves.begin();
  for (; next != graves.end(); ++next) {
    if (static_cast<std::int64_t>(page.entries.size()) == request.limit) {
      const DeadEntry& last = page.entries.back();
      page.cursor = cursor_after("dead", request.queue, {last.at, last.job_id});
      break;
    }
    const Record& record = *next->second;
    page.entries.push_back({record.job.id, show(record, now), record.dead->reason,
                            record.dead->error, record.dead->at});
  }
  return page;
}

}  // namespace assay::memory_queue
