// durability: what a worker that dies held is not lost with it, and what a store acknowledged is
// not lost when it goes away and comes back.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/engine.h"
#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

// Whether its last holder died with it in its hands.
static bool died_with_it(const Moment& m, const JobFacts& job) {
  if (job.claims.empty() || job.phase == Phase::done || job.phase == Phase::cancelled) return false;
  const ClaimFact& claim = job.claims.back();
  const bool held = job.phase == Phase::leased || job.cause == Cause::expiry;
  return held && m.facts.died_between(claim.client, claim.ended, m.began);
}

static std::string death(const Moment& m, const JobFacts& job, std::string_view what) {
  return fmt::format("{} was held since {} until {} by a worker that died; {}.", words::job(job),
                     words::op(job.claims.back().op), words::at(m, job.claims.back().expires_at),
                     what);
}

// The store was away since anybody last heard of the job: what is said of it now, the store kept.
static bool first_since_outage(const Moment& m, const JobFacts& job) {
  const Place back = m.facts.store_returned();
  return back > 0 && job.touched < back && back <= m.began;
}

// DUR-1, DUR-6: of a job that the store knew before it went away.
static void kept(const Moment& m, const JobFacts& job, bool is, std::string_view what,
                 Verdicts& v) {
  const auto story = [&] {
    return fmt::format("{} was accepted in {} and is {} since {}; then the store was away, and {}.",
                       words::job(job), words::op(job.born), words::phase(m.facts, job, m.now),
                       words::op(job.changed_at), what);
  };
  if (job.changed_by == Change::enqueue) v.expect("DUR-1", is, job, {job.born}, story);
  v.expect("DUR-6", is, job, {job.changed_at}, story);
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  if (const auto* request = m.request<Get>()) {
    const JobFacts* job = m.facts.find(request->job_id);
    if (!job || job->spoiled) return;
    if (died_with_it(m, *job))
      v.expect("DUR-7", m.ok(), *job, {job->claims.back().op},
               [&] { return death(m, *job, "looking at it was " + words::outcome(m)); });
    const bool may_be_gone = job->phase == Phase::done || job->phase == Phase::cancelled;
    if (first_since_outage(m, *job) && !m.ok() && !may_be_gone)
      kept(m, *job, false, "looking at it was " + words::outcome(m), v);
  }
  if (!m.missed) return;
  if (died_with_it(m, *m.missed))
    v.convict("DUR-7", m.missed, {m.missed->claims.back().op},
              death(m, *m.missed, "its lease is over, and this claim found nothing"));
  if (first_since_outage(m, *m.missed))
    kept(m, *m.missed, false, "a claim that should have found it found nothing", v);
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  if (use.standing == Standing::current && first_since_outage(m, use.job))
    kept(m, use.job, m.ok(), "its holder was " + words::outcome(m), v);
}

// That somebody gets it again is what is promised.
static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  if (lost_its_lease(m, d.job) && died_with_it(m, d.job)) v.triggered("DUR-7");
  if (!first_since_outage(m, d.job)) return;
  const bool may_run = d.job.phase == Phase::waiting || m.facts.lapsed(d.job, m.now);
  kept(m, d.job, may_run, "it was handed out", v);
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  if (first_since_outage(m, s.job))
    kept(m, s.job, s.as_expected(), fmt::format("it is shown as {}", words::state(s.shown.state)),
         v);
}

// Work that was there when a worker died or ended comes to its end, after it or another is back.
static void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  if (!facts.watched) return;
  std::optional<Mark> stopped;  // last
  for (const EngineWorker& worker : facts.workers)
    for (const auto& end : {worker.died, worker.ended})
      if (end && end->place < facts.watched->place && (!stopped || end->place > stopped->place))
        stopped = end;
  if (!stopped) return;
  for (const auto& [id, story] : facts.jobs()) {
    if (!story.enqueued || view.call(*story.enqueued).ended->place > stopped->place) continue;
    if (!story.last_seen) continue;
    // Nobody is there for it.
    const std::string& queue = std::get<Enqueue>(view.call(*story.enqueued).request).job.queue;
    const auto serves = [&](const EngineWorker& worker) {
      return worker.runs_jobs() && std::ranges::count(worker.queues, queue) > 0;
    };
    if (std::ranges::none_of(facts.workers, serves)) continue;
    // Of no interest where it had ended before.
    const bool was_open = story.runs.empty() ||
                          view.kept_until(facts.runs[story.runs.back()]).place >= stopped->place;
    if (!was_open) continue;
    view.expect("DUR-3", is_terminal(*story.last_seen), {view.call(*story.enqueued).op}, [&] {
      return fmt::format("{} was open when a worker stopped at {}, and at {} it is {} still.",
                         view.job(id), view.at(stopped->now), view.at(facts.watched->now),
                         words::state(*story.last_seen));
    });
  }
}

static constexpr std::string_view rules[] = {"DUR-3", "DUR-1", "DUR-4", "DUR-6", "DUR-7"};

Property durability() {
  return {.family = "durability",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Get> | missed_reserve,
          .engine = engine};
}

}  // namespace assay::properties
