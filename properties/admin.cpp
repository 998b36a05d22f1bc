// admin: what get and list show is true and complete, and requeue does what it says.
#include <fmt/format.h>

#include <set>

#include "harness/judge/reading.h"
#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool may_be_gone(const JobFacts& job) {
  return job.phase == Phase::done || job.phase == Phase::cancelled;
}

static void get(const Moment& m, const Get& request, Verdicts& v) {
  const JobFacts* job = m.facts.find(request.job_id);
  if (!job || job->spoiled) return;
  const auto* view = m.answer<JobView>();
  bool gone = may_be_gone(*job) && m.refused(ErrorCode::not_found);
  v.expect("ADMIN-1", gone || (view && view->job.id == job->id), *job, {job->born}, [&] {
    return fmt::format("{} is {}; looking it up by its id was {}{}.", words::job(*job),
                       words::phase(m.facts, *job, m.now), words::outcome(m),
                       view ? ", with another job" : "");
  });
}

static void must_be_listed(const Moment& m, const List& request, const std::set<JobId>& seen,
                           Verdicts& v) {
  const QueueFacts* queue = m.facts.queue(request.queue);
  if (!queue || queue->perhaps_claimed) return;
  for (const auto& members : queue->members)
    for (JobIndex index : members) {
      const JobFacts& job = m.facts.job(index);
      unsigned states = allowed_states(m.facts, job, m.now);
      bool certain = !request.state || (states == 1U << static_cast<unsigned>(*request.state) &&
                                        !m.facts.is_disputed(job, m.now));
      if (!certain || may_be_gone(job)) continue;
      v.expect("ADMIN-2", seen.contains(job.id), job, {job.changed_at}, [&] {
        return fmt::format(
            "{} of queue \"{}\" is {}, but a whole listing of {} jobs does not have it.",
            words::job(job), request.queue, words::phase(m.facts, job, m.now),
            request.state ? words::state(*request.state) : "all");
      });
    }
}

static void each_listed(const Moment& m, const List& request, const JobPage& page, Verdicts& v) {
  if (static_cast<std::int64_t>(page.jobs.size()) > request.limit)
    v.convict("ADMIN-2", nullptr, {},
              fmt::format("a page of at most {} jobs has {}.", request.limit, page.jobs.size()));
  for (const Job& shown : page.jobs) {
    const JobFacts* job = m.facts.find(shown.id);
    if (!job && !m.facts.perhaps_made(shown.id))
      v.convict("XADMIN-1", nullptr, {},
                fmt::format("a job {} is listed that nobody ever made.", shown.id));
    if (job && !job->spoiled && request.state && shown.state != *request.state)
      v.convict("ADMIN-2", job, {job->changed_at},
                fmt::format("{} is shown as {} in a listing of {} jobs.", words::job(*job),
                            words::state(shown.state), words::state(*request.state)));
    if (job && !job->spoiled && job->given.queue != request.queue)
      v.convict("ADMIN-2", job, {job->born},
                fmt::format("{} is of queue \"{}\", but listed in \"{}\".", words::job(*job),
                            job->given.queue, request.queue));
  }
}

static void list(const Moment& m, const List& request, const JobPage& page, Verdicts& v) {
  if (!m.alone) return;
  const Walk& walk = m.facts.client(m.call.client).list;
  bool goes_on = continues(walk, request.queue, request.state, request.cursor);
  bool whole = goes_on ? walk.whole && walk.changes == m.facts.changes() : !request.cursor;
  std::set<JobId> seen = goes_on ? walk.seen : std::set<JobId>{};
  std::optional<Instant> last = goes_on ? walk.last_created : std::nullopt;
  each_listed(m, request, page, v);
  if (whole) v.triggered("ADMIN-2");
  if (whole && goes_on) v.triggered("XADMIN-2");
  for (const Job& shown : page.jobs) {
    const JobFacts* job = m.facts.find(shown.id);
    bool twice = !seen.insert(shown.id).second;
    const bool older = last && shown.created_at && *shown.created_at < *last;
    if (whole && (twice || older))
      v.convict("XADMIN-2", job, {},
                twice ? fmt::format("job {} is on two pages of one listing.", shown.id)
                      : fmt::format("job {} is listed after a job that was made later.", shown.id));
    last = shown.created_at;
  }
  if (whole && !page.cursor) must_be_listed(m, request, seen, v);
}

static void strange_cursor(const Moment& m, const std::optional<std::string>& cursor, Verdicts& v) {
  if (!cursor || !m.alone || m.facts.cursor_known(*cursor)) return;
  v.triggered("XADMIN-2");
  if (!m.refused(ErrorCode::invalid))
    v.convict("XADMIN-2", nullptr, {},
              fmt::format("a cursor that the driver never gave was {}.", words::outcome(m)));
}

// XADMIN-3, XMAN-1: only the dead are requeued.
static void requeue(const Moment& m, const Requeue& request, Verdicts& v) {
  const JobFacts* job = m.facts.find(request.job_id);
  if (!job || job->spoiled || job->phase == Phase::dead) return;
  if (m.facts.lapsed(*job, m.now) && m.facts.perhaps_exhausted(*job)) return;
  const auto story = [&](std::string_view expected) {
    return fmt::format("{} is {} since {}, not dead: requeueing it must be {}; it was {}.",
                       words::job(*job), words::phase(m.facts, *job, m.now),
                       words::op(job->changed_at), expected, words::outcome(m));
  };
  v.expect("XADMIN-3", m.refused(ErrorCode::conflict), *job, {job->changed_at},
           [&] { return story("refused with conflict"); });
  v.expect("XMAN-1", m.refused(), *job, {job->changed_at}, [&] { return story("refused"); });
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  if (const auto* request = m.request<Get>()) get(m, *request, v);
  if (const auto* request = m.request<Requeue>()) requeue(m, *request, v);
  if (const auto* request = m.request<Dead>()) strange_cursor(m, request->cursor, v);
  const auto* request = m.request<List>();
  if (!request) return;
  strange_cursor(m, request->cursor, v);
  if (const auto* page = m.answer<JobPage>()) list(m, *request, *page, v);
  if (!m.ok() && !request->cursor)
    v.convict("ADMIN-2", nullptr, {},
              fmt::format("listing queue \"{}\" was {}.", request->queue, words::outcome(m)));
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  const JobFacts& job = s.job;
  auto story = [&] {
    return fmt::format(
        "{} is {} since {}{}; it is shown as {} with its counter at {}{}.", words::job(job),
        words::phase(m.facts, job, m.now), words::op(job.changed_at),
        job.run_at ? ", to run at " + words::at(m, *job.run_at) : "", words::state(s.shown.state),
        s.shown.attempts, s.shown.run_at ? ", to run at " + words::at(m, *s.shown.run_at) : "");
  };
  if (!s.whole) v.expect("XADMIN-1", s.as_expected(), job, {job.changed_at}, story);
  if (job.changed_by != Change::requeue || job.phase != Phase::waiting) return;
  bool counted = job.counter.holds(s.shown.attempts);
  bool timed =
      !job.run_at || (s.shown.run_at && same_time(m.profile, *s.shown.run_at, *job.run_at));
  auto requeued = [&] {
    return fmt::format(
        "{} requeued {}{}: it must be {} with its counter at {}{}; it is shown as {} with its "
        "counter at {}{}.",
        words::op(job.changed_at), words::job(job),
        job.counter_reset ? " and reset its counter" : "", words::phase(m.facts, job, m.now),
        job.counter.hi, job.run_at ? ", to run at " + words::at(m, *job.run_at) : "",
        words::state(s.shown.state), s.shown.attempts,
        s.shown.run_at ? ", to run at " + words::at(m, *s.shown.run_at) : "");
  };
  v.expect("XADMIN-3", s.as_expected() && timed && (counted || !job.counter_reset), job,
           {job.changed_at}, requeued);
  if (!job.counter_reset) v.expect("XMAN-1", counted, job, {job.changed_at}, requeued);
}

static constexpr std::string_view rules[] = {"ADMIN-1",  "ADMIN-2",  "XADMIN-1",
                                             "XADMIN-2", "XADMIN-3", "XMAN-1"};

Property admin() {
  return {
      "admin", rules, operation, nullptr, nullptr, sighting, calls_of<Get, List, Dead, Requeue>};
}

}  // namespace assay::properties
