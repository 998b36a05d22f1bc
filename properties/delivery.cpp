// delivery: a job runs again only when something caused it, and is not lost on the way.
#include <fmt/format.h>

#include "properties/detail/engine.h"
#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool lives(const Moment& m, const JobFacts& job) {
  return job.phase == Phase::waiting ||
         (job.phase == Phase::leased && !m.facts.perhaps_exhausted(job));
}

static void lookup(const Moment& m, const Get& request, Verdicts& v) {
  const JobFacts* job = m.facts.find(request.job_id);
  if (!job || job->spoiled) return;
  bool finished = job->phase == Phase::done || job->phase == Phase::cancelled;
  bool kept = m.ok() || (finished && m.refused(ErrorCode::not_found));
  auto story = [&] {
    return fmt::format("{} was accepted in {} and is {} since {}; looking at it was {}.",
                       words::job(*job), words::op(job->born), words::phase(m.facts, *job, m.now),
                       words::op(job->changed_at), words::outcome(m));
  };
  v.expect("DUR-2", kept, *job, {job->born}, story);
  if (m.facts.lapsed(*job, m.now)) v.expect("DELIV-5", kept, *job, {job->born}, story);
}

// AVAIL-2: a call made again because its answer was lost does no harm.
static void again(const Moment& m, const NewJob& given, Verdicts& v) {
  const auto* holders = m.facts.holders(given);
  const JobFacts* job = given.id ? m.facts.find(*given.id) : nullptr;
  bool by_id = job && m.profile.dup_id == DupId::reject;
  if (!by_id && holders && m.profile.idem == Idem::return_existing)
    job = &m.facts.job(holders->front());
  else if (!by_id)
    return;
  if (job->spoiled) return;
  const auto* answer = m.answer<Enqueued>();
  const JobFacts* named = answer ? m.facts.find(answer->id) : nullptr;
  v.expect("AVAIL-2", !answer || (named && answer->existed), *job, {job->born}, [&] {
    return fmt::format("{} was enqueued in {}; enqueueing it again made job {}.", words::job(*job),
                       words::op(job->born), answer->id);
  });
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  if (const auto* request = m.request<Get>()) lookup(m, *request, v);
  if (const auto* request = m.request<Enqueue>();
      request && !m.key_unsure && !m.facts.key_perhaps_taken(request->job))
    again(m, request->job, v);
  if (m.missed && lost_its_lease(m, *m.missed))
    v.convict("DELIV-5", m.missed, {m.missed->lease().op},
              fmt::format("the lease on {} from {} ran out at {}, and no claim finds the job.",
                          words::job(*m.missed), words::op(m.missed->lease().op),
                          words::at(m, m.missed->lease().expires_at)));
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  bool repeated_ack = use.kind == Change::ack && use.standing == Standing::repeat;
  if (repeated_ack && m.profile.resettle == Resettle::ok && m.profile.done_retention != Duration{0})
    v.expect("AVAIL-2", m.ok(), use.job, {use.job.changed_at}, [&] {
      return fmt::format("{} was acked in {}; the same ack made again was {}.", words::job(use.job),
                         words::op(use.job.changed_at), words::outcome(m));
    });
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  if (lost_its_lease(m, d.job)) v.triggered("DELIV-5");
  if (d.job.claims.empty()) return;
  bool caused = d.job.phase == Phase::waiting || m.facts.lapsed(d.job, m.now);
  v.expect("DELIV-2", caused, d.job, {d.job.lease().op, d.job.changed_at}, [&] {
    return fmt::format("{} ran from {} on and is {} since {}; nothing called for another run.",
                       words::job(d.job), words::op(d.job.lease().op),
                       words::phase(m.facts, d.job, m.now), words::op(d.job.changed_at));
  });
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  bool ended = s.shown.state == JobState::done || s.shown.state == JobState::cancelled;
  if (lives(m, s.job) && ended)
    v.convict("DUR-2", &s.job, {s.job.changed_at},
              fmt::format("{} is {} since {}, but shown as {}: nobody ended it.", words::job(s.job),
                          words::phase(m.facts, s.job, m.now), words::op(s.job.changed_at),
                          words::state(s.shown.state)));
}

static bool can_run(const EngineWorker& worker, const NewJob& job) {
  return std::ranges::find(worker.queues, job.queue) != worker.queues.end() &&
         std::ranges::find(worker.types, job.type) != worker.types.end();
}

// Every job that was accepted, with a worker for it that lived until the end, was begun.
static void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  if (!facts.watched) return;
  for (const auto& [id, story] : facts.jobs()) {
    if (!story.enqueued) continue;
    const EngineCall& enqueued = view.call(*story.enqueued);
    const auto* made = std::get_if<Enqueue>(&enqueued.request);
    const auto cancels = [&](std::size_t change) {
      return std::holds_alternative<Cancel>(view.call(change).request);
    };
    if (!made || std::ranges::any_of(story.changes, cancels)) continue;
    if (made->job.run_at && *made->job.run_at >= facts.watched->now) continue;
    // Who only hears of jobs needs somebody who announces them.
    const bool is_announced = std::ranges::any_of(facts.workers, [&](const EngineWorker& worker) {
      return worker.is_dispatcher() && worker.claims_at(facts.watched->place);
    });
    const bool has_worker = std::ranges::any_of(facts.workers, [&](const EngineWorker& worker) {
      return can_run(worker, made->job) && worker.claims_at(facts.watched->place) &&
             (is_announced || worker.number("only_hears") == 0);
    });
    if (!has_worker) continue;
    // Whoever claimed it may have lost the answer, or died, until the store had enough of it.
    const bool had_trouble = !facts.outages.empty() ||
                             std::ranges::any_of(facts.workers, [](const EngineWorker& worker) {
                               return worker.died.has_value();
                             });
    // Or ended with it in hand: where the store decides no call gives a job back.
    const bool was_left = facts.profile.decider == Decider::store &&
                          std::ranges::any_of(story.assignments, [&](std::size_t index) {
                            const int worker = facts.assignments[index].worker;
                            return worker >= 0 && view.worker(worker).ended;
                          });
    if (story.runs.empty() && (had_trouble || was_left) && story.last_seen == JobState::dead)
      continue;
    view.expect("DELIV-1", !story.runs.empty(), {enqueued.op}, [&] {
      return fmt::format("{} was accepted at {}, and had not been begun by {}.", view.job(id),
                         view.at(enqueued.began.now), view.at(facts.watched->now));
    });
  }
}

static constexpr std::string_view rules[] = {"DELIV-1", "DELIV-2", "DELIV-5", "DUR-2", "AVAIL-2"};

static bool concerns(Change kind, Standing standing) {
  return kind == Change::ack && standing == Standing::repeat;
}

Property delivery() {
  return {.family = "delivery",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Enqueue, Get> | missed_reserve,
          .holds = concerns,
          .first_runs = false,
          .engine = engine};
}

}  // namespace assay::properties
