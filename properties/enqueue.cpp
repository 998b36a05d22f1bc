// enqueue: what was accepted is stored, once, as it was given, and can be claimed.
#include <fmt/format.h>

#include "properties/detail/content.h"
#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool same_content(const NewJob& a, const NewJob& b) {
  return a.queue == b.queue && a.type == b.type && a.payload == b.payload && a.run_at == b.run_at &&
         a.max_attempts == b.max_attempts && a.timeout == b.timeout && a.key == b.key &&
         a.priority.value_or(0) == b.priority.value_or(0);
}

// ENQ-3: an id that exists is not inserted again. The very same job again is answered as existing.
static void known_id(const Moment& m, const Enqueue& request, const JobFacts& job, Verdicts& v) {
  const auto* answer = m.answer<Enqueued>();
  bool same = same_content(request.job, job.given);
  bool may_be_gone =
      m.profile.done_retention && (job.phase == Phase::done || job.phase == Phase::cancelled);
  if (may_be_gone) return;
  bool refused = m.refused(ErrorCode::duplicate_id) || m.refused(ErrorCode::conflict);
  bool existed = answer && answer->existed && answer->id == job.id;
  bool right = same ? existed || (refused && request.job.attempts != job.given.attempts) : refused;
  v.expect("ENQ-3", right, job, {job.born}, [&] {
    return fmt::format("{} exists since {}; enqueueing {} under its id was {}{}.", words::job(job),
                       words::op(job.born), same ? "the same job" : "another job",
                       words::outcome(m), answer && !answer->existed ? " as a new job" : "");
  });
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  if (const auto* request = m.request<Enqueue>()) {
    const auto* holders = m.facts.holders(request->job);
    const JobFacts* known = request->job.id ? m.facts.find(*request->job.id) : nullptr;
    if (known && !known->spoiled && (!holders || holders->empty()))
      known_id(m, *request, *known, v);
    const auto* answer = m.answer<Enqueued>();
    if (answer && !answer->existed && !request->job.id && m.facts.find(answer->id)) {
      const JobFacts& other = *m.facts.find(answer->id);
      v.convict("ENQ-3", &other, {other.born},
                fmt::format("a new job was given the id of {}, which exists since {}.",
                            words::job(other), words::op(other.born)));
    }
  }
  if (const auto* request = m.request<Get>()) {
    const JobFacts* job = m.facts.find(request->job_id);
    if (job && !job->spoiled && !job->seen && job->phase != Phase::done &&
        job->phase != Phase::cancelled)
      v.expect("ENQ-1", m.ok(), *job, {job->born}, [&] {
        return fmt::format("{} was accepted in {}, but looking at it was {}.", words::job(*job),
                           words::op(job->born), words::outcome(m));
      });
  }
  if (m.missed && m.missed->cause == Cause::fresh && m.missed->claims.empty() &&
      !m.missed->given.run_at)
    v.convict(
        "ENQ-4", m.missed, {m.missed->born},
        fmt::format("{} was enqueued in {} to run at once, and nobody has claimed it, but this "
                    "claim found nothing.",
                    words::job(*m.missed), words::op(m.missed->born)));
}

static void round_trip(const Moment& m, const JobFacts& job, const Job& shown, bool waiting,
                       Verdicts& v) {
  const char* field = differing_field(m, job, shown);
  bool untouched = waiting && job.claims.empty() && job.phase == Phase::waiting;
  bool first_time = untouched && (job.changed_by == Change::enqueue);
  if (!field && first_time && job.given.run_at &&
      (!shown.run_at || !same_time(m.profile, *shown.run_at, *job.given.run_at)))
    field = "run time";
  if (!field && first_time && !job.given.run_at && shown.run_at && *shown.run_at > job.created.hi)
    field = "run time";
  // Where starts are counted, the claim that hands the job out may be counted already.
  bool fresh = job.claims.empty() && job.changed_by == Change::enqueue;
  bool started = !waiting && m.profile.counter == Counter::starts;
  if (!field && fresh && !job.counter.holds(shown.attempts) &&
      !(started && shown.attempts == job.counter.hi + 1))
    field = "counter";
  v.expect("ENQ-6", !field, job, {job.born}, [&] {
    return fmt::format("the {} of {} did not come back as {} gave it.", field, words::job(job),
                       words::op(job.born));
  });
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  round_trip(m, d.job, d.claim.job, false, v);
  bool at_once =
      d.job.phase == Phase::waiting && d.job.cause == Cause::fresh && !d.job.given.run_at;
  if (at_once && m.facts.surely_runnable(d.job, m.now)) v.triggered("ENQ-4");
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  round_trip(m, s.job, s.shown, true, v);
  if (s.job.changed_by != Change::enqueue || s.job.phase != Phase::waiting) return;
  v.expect("ENQ-2", s.as_expected(), s.job, {s.job.born}, [&] {
    return fmt::format("{} was enqueued in {} to run at {}; at {} it is shown as {}.",
                       words::job(s.job), words::op(s.job.born), words::at(m, s.job.not_before),
                       words::at(m, m.now), words::state(s.shown.state));
  });
}

static constexpr std::string_view rules[] = {"ENQ-1", "ENQ-2", "ENQ-3", "ENQ-4", "ENQ-6"};

Property enqueue() {
  return {.family = "enqueue",
          .rules = rules,
          .operation = operation,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Enqueue, Get> | missed_reserve};
}

}  // namespace assay::properties
