// fairness: neither a busy queue nor fresh work keeps another job waiting for ever.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

bool serves(const EngineWorker& worker, const std::string& queue) {
  return std::ranges::find(worker.queues, queue) != worker.queues.end();
}

// Jobs of other queues that came later and were taken first, by workers that serve both.
void turns_among_queues(const EngineView& view, const JobId& id,
                        const EngineFacts::JobStory& story) {
  if (!story.enqueued || story.assignments.empty()) return;
  const EngineCall& enqueued = view.call(*story.enqueued);
  const NewJob& mine = std::get<Enqueue>(enqueued.request).job;
  if (mine.run_at && *mine.run_at > enqueued.began.now) return;
  const Assignment& first = view.facts.assignments[story.assignments.front()];
  if (first.worker < 0 || view.worker(first.worker).queues.size() < 2) return;
  // Whoever lost an answer may have had it before.
  if (!view.facts.was_reachable(first.worker, *enqueued.ended, first.at)) return;
  std::int64_t taken = 0, passed = 0;
  std::vector<OpId> ops{enqueued.op};
  for (const Assignment& other : view.facts.assignments) {
    if (other.at.place <= enqueued.ended->place || other.at.place >= first.at.place) continue;
    if (other.worker < 0 || !serves(view.worker(other.worker), mine.queue)) continue;
    if (other.claim.job.queue == mine.queue || !other.run) continue;
    ++taken;
    if (other.claim.job.priority > mine.priority.value_or(0)) continue;
    const auto* later = view.facts.job(other.claim.job.id);
    if (!later->enqueued || view.call(*later->enqueued).began.place < enqueued.ended->place)
      continue;
    ++passed;
    ops.push_back(view.claimed(other));
  }
  if (taken < 2) return;
  const std::int64_t bearable = 4 + 2 * view.worker(first.worker).number("concurrency") *
                                        static_cast<std::int64_t>(view.facts.workers.size());
  ops.push_back(view.claimed(first));
  view.expect("XFAIR-2", passed <= bearable, ops, [&] {
    return fmt::format("{} waited in {} while {} jobs of other queues that came later were taken.",
                       view.job(id), mine.queue, passed);
  });
}

// A batch of claims while a retry could be had: fresh jobs that came later do not take its place.
void keeps_room_for_retries(const EngineView& view, std::size_t index) {
  const EngineCall& call = view.call(index);
  const auto* request = std::get_if<Reserve>(&call.request);
  const auto* claims = call.ok() ? std::get_if<Claims>(&call.response) : nullptr;
  if (!request || !claims || request->max < 2 || claims->claims.size() < 2) return;
  const EngineCall* waiting = nullptr;  // the retry that waits, by its settle
  JobId who;
  for (const auto& [id, story] : view.facts.jobs()) {
    for (const std::size_t change : story.changes) {
      const EngineCall& settle = view.call(change);
      const auto* retry = std::get_if<Retry>(&settle.request);
      if (!retry || !settle.ok() || settle.ended->place > call.began.place) continue;
      if (retry->run_at >= call.began.now) continue;
      // And nothing became of it since.
      const bool is_claimed = std::ranges::any_of(story.assignments, [&](std::size_t one) {
        const Assignment& other = view.facts.assignments[one];
        return other.at.place > settle.ended->place &&
               view.call(other.claimed).began.place < call.ended->place;
      });
      const auto* given = story.enqueued ? &view.call(*story.enqueued) : nullptr;
      if (is_claimed || !given || change != story.changes.back()) continue;
      const NewJob& job = std::get<Enqueue>(given->request).job;
      if (std::ranges::find(request->queues, job.queue) == request->queues.end()) continue;
      waiting = &settle;
      who = id;
    }
  }
  const bool has_retry = std::ranges::any_of(
      claims->claims, [&](const Claim& claim) { return view.run_number(claim) > 1; });
  if (has_retry && !waiting) view.verdicts.triggered("XFAIR-1");
  if (!waiting) return;
  const Instant due = std::get<Retry>(waiting->request).run_at;
  const bool was_passed = std::ranges::any_of(claims->claims, [&](const Claim& claim) {
    const auto* story = view.facts.job(claim.job.id);
    return story && story->enqueued && view.run_number(claim) == 1 &&
           view.call(*story->enqueued).began.now > due;
  });
  view.expect("XFAIR-1", has_retry || !was_passed, {waiting->op, call.op}, [&] {
    return fmt::format(
        "{} could be tried again from {} on; this batch of {} has fresh jobs that "
        "came later, and no retry.",
        view.job(who), view.at(due), claims->claims.size());
  });
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const auto& [id, story] : facts.jobs()) turns_among_queues(view, id, story);
  for (std::size_t i = 0; i < facts.calls.size(); ++i)
    if (facts.calls[i].worker >= 0) keeps_room_for_retries(view, i);
}

constexpr std::string_view rules[] = {"XFAIR-1", "XFAIR-2"};

}  // namespace

Property fairness() {
  return {.family = "fairness", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
