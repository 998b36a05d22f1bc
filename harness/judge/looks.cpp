// What a look at jobs tells: the one that is shown, and the walk through a listing's pages.
#include <algorithm>

#include "harness/judge/detail/applier.h"

namespace assay {

bool continues(const Walk& walk, const std::string& queue, std::optional<JobState> state,
               const std::optional<std::string>& cursor) {
  return walk.going && cursor && cursor == walk.cursor && walk.queue == queue &&
         walk.state == state;
}

// A look that shows how a lapsed lease ended, or when a waiting job runs, settles it.
void Applier::resolve(JobFacts& job, const Job& shown) {
  bool over = facts.lapsed(job, latest);
  if (over && (shown.state == JobState::ready || shown.state == JobState::scheduled)) {
    change(job, Change::expiry, [&] {
      Instant from = shown.run_at.value_or(job.lease().expires_at);
      job.losses = {job.losses.lo + 1, job.losses.hi + 1};
      wait(job, Cause::expiry, std::min(from, now), std::max(from, facts.by_any_clock(latest)),
           shown.run_at);
      if (shown.state == JobState::scheduled) job.not_before = from;
      if (profile.counter == Counter::attempt_no) job.counter.hi += 1;
      job.last_error.reset();
    });
  } else if (over && shown.state == JobState::dead) {
    died_of_expiry(job);
  } else if (job.phase == Phase::waiting && job.cause == Cause::expiry && !job.run_at &&
             shown.run_at && shown.state == JobState::scheduled) {
    change(job, Change::expiry, [&] {
      job.not_before = job.surely_from = *shown.run_at;
      job.run_at = shown.run_at;
    });
  }
}

void Applier::operator()(const Get& request) {
  JobFacts* job = find(request.job_id);
  const auto* view = std::get_if<JobView>(&end.response);
  if (!job || !view) return;
  resolve(*job, view->job);
  job->seen = true;
  job->refused.clear();
  job->repeated.clear();
}

void Applier::operator()(const List& request) {
  const auto* page = std::get_if<JobPage>(&end.response);
  if (!page) return;
  Walk& walk = client().list;
  begin(walk, request.queue, request.state, request.cursor);
  for (const Job& shown : page->jobs) {
    walk.seen.insert(shown.id);
    walk.last_created = shown.created_at;
    if (JobFacts* job = find(shown.id)) resolve(*job, shown);
  }
  end_page(walk, page->cursor);
}

void Facts::apply_page(const CallEvent& call, const ReturnEvent& end) {
  const auto* request = std::get_if<List>(&call.request);
  const auto* page = std::get_if<JobPage>(&end.response);
  if (!request || !page) return;
  Applier applier{.facts = *this, .call = call, .end = end};
  applier.alone = false;
  Walk& walk = applier.client().list;
  applier.begin(walk, request->queue, request->state, request->cursor);
  applier.end_page(walk, page->cursor);
}

void Applier::operator()(const Dead& request) {
  const auto* page = std::get_if<DeadPage>(&end.response);
  if (!page) return;
  Walk& walk = client().dead;
  begin(walk, request.queue, std::nullopt, request.cursor);
  for (const DeadEntry& entry : page->entries) walk.seen.insert(entry.job_id);
  end_page(walk, page->cursor);
}

void Applier::begin(Walk& walk, const std::string& queue, std::optional<JobState> state,
                    const std::optional<std::string>& cursor) {
  if (continues(walk, queue, state, cursor)) {
    walk.whole = alone && walk.whole && walk.changes == facts.changes_;
    return;
  }
  walk = Walk{};
  walk.whole = alone && !cursor;
  walk.changes = facts.changes_;
  walk.queue = queue;
  walk.state = state;
}

void Applier::end_page(Walk& walk, const std::optional<std::string>& cursor) {
  walk.going = cursor.has_value();
  walk.cursor = cursor;
  walk.changes = facts.changes_;
  if (cursor) facts.cursors_.insert(*cursor);
}

}  // namespace assay
