// dead_letter: where failed jobs go, what is kept of them, and how they come back.
#include <fmt/format.h>

#include <set>

#include "properties/detail/content.h"
#include "properties/detail/engine_failures.h"
#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static std::string since(const JobFacts& job) {
  return fmt::format("{} is dead since {}", words::job(job), words::op(job.changed_at));
}

static void obituary(const JobFacts& job, const std::string& reason,
                     const std::optional<std::string>& error, Instant at, Verdicts& v) {
  const char* wrong = nullptr;
  if (job.reason ? reason != *job.reason : reason.empty())
    wrong = "reason";
  else if (job.error && error.value_or("") != *job.error)
    wrong = "error";
  else if (at < job.died.lo || at > job.died.hi)
    wrong = "time";
  v.expect("DLQ-3", !wrong, job, {job.changed_at}, [&] {
    return fmt::format("{}; the {} kept of it is not what that step said.", since(job), wrong);
  });
}

static void entry(const Moment& m, const Dead& request, const DeadEntry& shown, Verdicts& v) {
  const JobFacts* job = m.facts.find(shown.job_id);
  if (!job && !m.facts.perhaps_made(shown.job_id))
    v.convict(
        "DLQ-6", nullptr, {},
        fmt::format("a job {} is listed among the dead that nobody ever made.", shown.job_id));
  if (!job || job->spoiled || m.facts.queue_of(*job).perhaps_claimed) return;
  bool may_be_dead =
      job->phase == Phase::dead || (m.facts.lapsed(*job, m.now) && m.facts.perhaps_exhausted(*job));
  v.expect("DLQ-6", may_be_dead, *job, {job->changed_at}, [&] {
    return fmt::format("{} is {} since {}, but listed among the dead.", words::job(*job),
                       words::phase(m.facts, *job, m.now), words::op(job->changed_at));
  });
  if (job->phase != Phase::dead) return;
  v.expect("DLQ-9", job->given.queue == request.queue, *job, {job->changed_at}, [&] {
    return fmt::format("{}, of queue \"{}\", but listed among the dead of \"{}\".", since(*job),
                       job->given.queue, request.queue);
  });
  if (job->replayed)
    v.convict("DLQ-7", job, {job->changed_at},
              fmt::format("{} was replayed, but its record is still there.", words::job(*job)));
  obituary(*job, shown.reason, shown.error, shown.at, v);
  if (!job->counter.holds(shown.job.attempts))
    v.convict("DLQ-3", job, {job->changed_at},
              fmt::format("{} with its counter at {}; the one kept of it is {}.", since(*job),
                          job->counter.hi, shown.job.attempts));
  if (const char* field = differing_field(m, *job, shown.job))
    v.convict("DLQ-3", job, {job->born},
              fmt::format("{}; the {} kept of it is not what {} gave.", since(*job), field,
                          words::op(job->born)));
}

static void whole_listing(const Moment& m, const Dead& request, const std::set<JobId>& seen,
                          Verdicts& v) {
  const QueueFacts* queue = m.facts.queue(request.queue);
  if (!queue || queue->perhaps_claimed) return;
  for (JobIndex index : queue->members[static_cast<std::size_t>(Phase::dead)]) {
    const JobFacts& job = m.facts.job(index);
    if (!job.recorded) continue;
    bool listed = seen.contains(job.id);
    auto story = [&] { return since(job) + ", but is not listed among the dead of its queue."; };
    v.expect("DLQ-6", listed, job, {job.changed_at}, story);
    v.expect("DLQ-9", listed, job, {job.changed_at}, story);
    if (job.replay_refused) v.expect("DLQ-8", listed, job, {job.changed_at}, story);
  }
}

static void listing(const Moment& m, const Dead& request, const DeadPage& page, Verdicts& v) {
  if (!m.alone) return;
  const Walk& walk = m.facts.client(m.call.client).dead;
  bool goes_on = continues(walk, request.queue, std::nullopt, request.cursor);
  std::set<JobId> seen = goes_on ? walk.seen : std::set<JobId>{};
  if (static_cast<std::int64_t>(page.entries.size()) > request.limit)
    v.convict("DLQ-6", nullptr, {},
              fmt::format("a page of at most {} dead letters has {}.", request.limit,
                          page.entries.size()));
  bool whole = goes_on ? walk.whole && walk.changes == m.facts.changes() : !request.cursor;
  for (const DeadEntry& shown : page.entries) {
    entry(m, request, shown, v);
    if (!seen.insert(shown.job_id).second && whole)
      v.convict("DLQ-9", m.facts.find(shown.job_id), {},
                fmt::format("job {} is listed twice among the dead.", shown.job_id));
  }
  if (whole && !page.cursor) whole_listing(m, request, seen, v);
}

static bool key_taken(const Moment& m, const JobFacts& job) {
  const auto* holders = m.facts.holders(job.given);
  if (m.profile.idem != Idem::reject_active || !holders) return false;
  if (m.key_unsure || m.facts.key_perhaps_taken(job.given)) return true;
  for (JobIndex index : *holders) {
    const JobFacts& other = m.facts.job(index);
    if (index != job.index &&
        (other.spoiled || other.phase == Phase::waiting || other.phase == Phase::leased))
      return true;
  }
  return false;
}

static void requeue(const Moment& m, const Requeue& request, Verdicts& v) {
  const JobFacts* job = m.facts.find(request.job_id);
  if (!job || job->spoiled || job->phase != Phase::dead || key_taken(m, *job)) return;
  const auto* answer = m.answer<Requeued>();
  if (m.profile.replay == Replay::same_job) {
    v.expect("DLQ-5", answer && answer->job_id == job->id, *job, {job->changed_at}, [&] {
      return since(*job) + fmt::format("; requeueing it was {}{}.", words::outcome(m),
                                       answer ? ", under the id " + answer->job_id : "");
    });
    return;
  }
  if (job->replayed) {
    v.expect("DLQ-7", !answer, *job, {job->changed_at}, [&] {
      return fmt::format("the record of {} was replayed already, but a second replay was accepted.",
                         words::job(*job));
    });
    return;
  }
  const JobFacts* made = answer ? m.facts.find(answer->job_id) : nullptr;
  bool fresh = answer && answer->job_id != job->id && (!made || made->born == m.op());
  auto story = [&] {
    return since(*job) + fmt::format("; replaying it was {}{}.", words::outcome(m),
                                     answer ? ", under the id " + answer->job_id : "");
  };
  v.expect("DLQ-5", answer != nullptr, *job, {job->changed_at}, story);
  v.expect("DLQ-7", fresh, *job, {job->changed_at}, story);
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  const auto* dead = m.request<Dead>();
  if (const auto* page = m.answer<DeadPage>(); dead && page) listing(m, *dead, *page, v);
  if (dead && !m.ok() && !dead->cursor)
    v.convict("DLQ-6", nullptr, {},
              fmt::format("listing the dead of \"{}\" was {}.", dead->queue, words::outcome(m)));
  if (const auto* request = m.request<Requeue>()) requeue(m, *request, v);
  if (const auto* request = m.request<Reserve>(); request && is_any_in(m, *request, Phase::dead))
    v.triggered("DLQ-4"), v.triggered("DLQ-10");
  if (m.missed && m.missed->phase == Phase::waiting && m.missed->cause == Cause::requeue)
    v.convict(m.profile.replay == Replay::fresh_job ? "DLQ-7" : "DLQ-5", m.missed,
              {m.missed->changed_at},
              fmt::format("{} was requeued in {} to run at {}, but this claim at {} found nothing.",
                          words::job(*m.missed), words::op(m.missed->changed_at),
                          words::at(m, m.missed->not_before), words::at(m, m.now)));
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  if (use.kind == Change::fail && use.standing == Standing::current)
    v.expect("DLQ-2", m.ok(), use.job, {use.job.lease().op}, [&] {
      return fmt::format(
          "the holder of {} dead-lettered it at {}, before its lease ended at {}, and "
          "was {}.",
          words::job(use.job), words::at(m, m.now), words::at(m, use.job.lease().expires_at),
          words::outcome(m));
    });
  const auto* nack = m.request<Nack>();
  const auto* nacked = m.answer<Nacked>();
  if (nack && nack->unrecoverable && nacked && use.standing == Standing::current)
    v.expect("DLQ-2", nacked->state == JobState::dead, use.job, {use.job.lease().op}, [&] {
      return fmt::format("an unrecoverable failure of {} did not dead-letter it.",
                         words::job(use.job));
    });
}

// DLQ-5, DLQ-7: what came back from the dead letters is the job that went there.
static void came_back(const Moment& m, const JobFacts& job, const Job& shown, bool right,
                      Verdicts& v) {
  if (job.changed_by != Change::requeue || job.phase != Phase::waiting) return;
  const char* field = differing_field(m, job, shown);
  auto story = [&] {
    return fmt::format("{} was requeued in {}; {}.", words::job(job), words::op(job.changed_at),
                       field ? fmt::format("its {} is not what it was", field)
                             : "it is shown as " + words::state(shown.state));
  };
  if (m.profile.replay == Replay::fresh_job)
    v.expect("DLQ-7", !field, job, {job.changed_at}, story);
  v.expect("DLQ-5", right, job, {job.changed_at}, story);
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  came_back(m, d.job, d.claim.job, true, v);
  if (d.job.phase != Phase::dead) return;
  std::string story =
      since(d.job) + fmt::format(", and was handed out at {}.", words::at(m, m.now));
  v.convict("DLQ-4", &d.job, {d.job.changed_at}, story);
  v.convict("DLQ-10", &d.job, {d.job.changed_at}, story);
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  const JobFacts& job = s.job;
  came_back(m, job, s.shown, s.as_expected(), v);
  if (job.phase != Phase::dead) return;
  auto story = [&] {
    return since(job) + fmt::format(", but shown as {}.", words::state(s.shown.state));
  };
  if (job.changed_by == Change::fail || job.changed_by == Change::nack)
    v.expect("DLQ-2", s.as_expected(), job, {job.changed_at}, story);
  v.expect("DLQ-10", s.as_expected(), job, {job.changed_at}, story);
  if (!s.whole || !s.as_expected()) return;
  const auto& dead = s.whole->dead;
  if (!dead)
    v.convict("DLQ-3", &job, {job.changed_at}, since(job) + ", but nothing is kept of why.");
  else
    obituary(job, dead->reason, dead->error, dead->at, v);
}

// A handler that says that nothing more is to be tried dead-letters its job.
static void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const EngineFailure& failure : failures_in(view)) {
    const EngineCall* settle = settle_of(view, failure);
    if (!settle || !failure.is_unrecoverable || failure.may_be_either) continue;
    const bool is_buried = std::holds_alternative<Fail>(settle->request);
    view.expect(
        "DLQ-2", is_buried && !is_seen_alive(view, failure, *settle),
        {view.claimed(failure.mine), settle->op}, [&] {
          return fmt::format(
              "{} gave its job up at {}, which makes it a dead letter; it was settled by {}{}.",
              view.run(failure.run), view.at(failure.run.ended->now), name_of(settle->request),
              is_buried ? ", and is not dead" : "");
        });
  }
}

static constexpr std::string_view rules[] = {"DLQ-2", "DLQ-3", "DLQ-4", "DLQ-5", "DLQ-6",
                                             "DLQ-7", "DLQ-8", "DLQ-9", "DLQ-10"};

static bool concerns(Change kind, Standing standing) {
  return (kind == Change::fail || kind == Change::nack) && standing == Standing::current;
}

Property dead_letter() {
  return {.family = "dead_letter",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Dead, Requeue, Reserve>,
          .holds = concerns,
          .first_runs = false,
          .engine = engine};
}

}  // namespace assay::properties
