#include "properties/detail/dispatch.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::properties {

static bool lived(const EngineWorker& worker, Instant from, Instant to) {
  if (worker.started.now > from) return false;
  return std::ranges::none_of(
      std::initializer_list<std::optional<Mark>>{worker.stopping, worker.ended, worker.died},
      [&](const auto& end) { return end && end->now <= to; });
}

static bool was_quiet(const EngineView& view, int worker, Instant from, Instant to) {
  const Duration gets_over = view.worker(worker).length("outage_ms");
  return std::ranges::none_of(view.facts.outages, [&](const TimeAway& outage) {
    if (outage.worker && *outage.worker != worker) return false;
    return outage.began.now <= to && (!outage.ended || outage.ended->now + gets_over >= from);
  });
}

int DispatchView::dispatcher(const std::string& queue, Instant from, Instant to) const {
  for (std::size_t i = 0; i < facts.workers.size(); ++i) {
    const EngineWorker& one = facts.workers[i];
    if (!one.is_dispatcher() || !lived(one, from, to)) continue;
    if (std::ranges::find(one.queues, queue) == one.queues.end()) continue;
    if (was_quiet(*this, static_cast<int>(i), from, to)) return static_cast<int>(i);
  }
  return -1;
}

bool DispatchView::has_dispatcher_at_end() const {
  return facts.watched && std::ranges::any_of(facts.workers, [&](const EngineWorker& worker) {
           return worker.is_dispatcher() && worker.claims_at(facts.watched->place);
         });
}

bool DispatchView::ran_out(const Assignment& assignment) const {
  const auto may_have_settled = [&](std::size_t index) { return !call(index).refused(); };
  const auto is_unknown = [&](std::size_t index) {
    return call(index).outcome == OutcomeKind::unknown;
  };
  return std::ranges::none_of(assignment.settles, may_have_settled) &&
         std::ranges::none_of(assignment.heartbeats, is_unknown) &&
         !was_cancelled(assignment.claim.job.id) && facts.watched &&
         assignment.expires_at < facts.watched->now;
}

bool DispatchView::perhaps_taken(const Job& job, Instant from, Instant to) const {
  return std::ranges::any_of(facts.calls, [&](const EngineCall& one) {
    const auto* reserve = std::get_if<Reserve>(&one.request);
    if (!reserve || one.outcome != OutcomeKind::unknown) return false;
    if (reserve->job_id && *reserve->job_id != job.id) return false;
    return one.began.now >= from && one.began.now <= to;
  });
}

bool DispatchView::was_sent(const JobId& id, Instant from, Instant to) const {
  return std::ranges::any_of(seen().sent_about(id), [&](const WakeUpSent* one) {
    return one->at.now >= from && one->at.now <= to;
  });
}

bool DispatchView::was_given(const JobId& id, Instant from, Instant to) const {
  const auto* story = facts.job(id);
  return story && std::ranges::any_of(story->assignments, [&](std::size_t index) {
           const Mark& at = facts.assignments[index].at;
           return at.now >= from && at.now <= to;
         });
}

bool DispatchView::was_asked_for(const JobId& id, Instant from, Instant to) const {
  return std::ranges::any_of(facts.calls, [&](const EngineCall& one) {
    const auto* reserve = std::get_if<Reserve>(&one.request);
    return reserve && reserve->job_id == id && one.began.now >= from && one.began.now <= to;
  });
}

bool DispatchView::was_cancelled(const JobId& id) const {
  const auto* story = facts.job(id);
  return std::ranges::any_of(facts.calls,
                             [&](const EngineCall& one) {
                               const auto* cancel = std::get_if<Cancel>(&one.request);
                               return cancel && cancel->job_id == id && !one.refused();
                             }) ||
         !story;
}

bool DispatchView::has_ended(const JobId& id) const {
  const auto* story = facts.job(id);
  return !story || !story->last_seen || is_terminal(*story->last_seen);
}

bool DispatchView::was_seen_ended(const JobId& id, int by, Mark from, Mark to) const {
  return std::ranges::any_of(facts.calls, [&](const EngineCall& one) {
    const auto* get = std::get_if<Get>(&one.request);
    if (!get || get->job_id != id || one.worker != by || !one.ended) return false;
    if (one.ended->place < from.place || one.ended->place > to.place) return false;
    const auto* view = one.ok() ? std::get_if<JobView>(&one.response) : nullptr;
    return view ? is_terminal(view->job.state) : one.refused();
  });
}

const RowSeen* DispatchView::row_with(const JobId& id, int worker, std::string_view companion,
                                      Mark from, Mark to) const {
  for (const RowSeen& row : seen().rows)
    for (const RowSeen::Writing& writing : row.written)
      if (row.task == id && writing.by == worker && writing.companion == companion &&
          writing.at.place > from.place && writing.at.place < to.place)
        return &row;
  return nullptr;
}

const RowSeen* DispatchView::event_with(const HandlerRun& run, const std::string& target, Mark from,
                                        Mark to) const {
  for (const RowSeen& row : seen().rows)
    for (const RowSeen::Writing& writing : row.written)
      if (row.routes() && row.task == run.job_id && row.target == target &&
          writing.by == run.worker && writing.companion == "ack" &&
          writing.at.place > from.place && writing.at.place < to.place)
        return &row;
  return nullptr;
}

std::string DispatchView::trouble_in_runs(const JobId& id, std::vector<OpId>& ops) const {
  const auto* story = facts.job(id);
  if (!story) return "";
  const HandlerRun* before = nullptr;
  for (const std::size_t index : story->runs) {
    const HandlerRun& one = facts.runs[index];
    if (one.worker < 0) continue;
    for (const std::size_t change : story->changes) {
      const EngineCall& ack = call(change);
      if (!std::holds_alternative<Ack>(ack.request) || !ack.ok() || !ack.ended) continue;
      if (ack.ended->place > one.began.place) continue;
      ops = {ack.op, EngineView::before(one.began)};
      return fmt::format("it had succeeded at {}, and {} began at {}", at(ack.ended->now), run(one),
                         at(one.began.now));
    }
    if (before && kept_until(*before).now > one.began.now) {
      ops = {EngineView::before(before->began), EngineView::before(one.began)};
      return fmt::format("{} went on until {}, and {} began at {}", run(*before),
                         at(kept_until(*before).now), run(one), at(one.began.now));
    }
    before = &one;
  }
  return "";
}

std::optional<RetrySeen> retry_after(const EngineView& view, const Assignment& assignment) {
  for (const std::size_t index : assignment.settles) {
    const EngineCall& settle = view.call(index);
    if (!settle.ok() || !settle.ended) continue;
    if (meaning_of(view.facts, settle, assignment.claim) != SettleMeans::failure)
      return std::nullopt;
    RetrySeen seen{&settle, view.call(assignment.settles.front()).began, {}};
    if (const auto* retry = std::get_if<Retry>(&settle.request)) {
      seen.due = retry->run_at;
      return seen;
    }
    const auto* nacked = std::get_if<Nacked>(&settle.response);
    if (!nacked || is_terminal(nacked->state)) return std::nullopt;
    seen.due = nacked->run_at.value_or(settle.ended->now);
    return seen;
  }
  return std::nullopt;
}

}  // namespace assay::properties
