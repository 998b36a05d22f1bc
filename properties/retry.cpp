// retry: a failure is counted once, leads to one thing, and stops at the limit; who decides is the
// profile's.
#include <fmt/format.h>

#include "properties/detail/content.h"
#include "properties/detail/engine.h"
#include "properties/detail/engine_failures.h"
#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool is_failure(Change kind) {
  return kind == Change::retry || kind == Change::fail || kind == Change::nack;
}

// "3 runs": as many as the job is allowed.
static std::string runs(const Moment& m, const JobFacts& job) {
  const std::int64_t number = runs_allowed(m.profile, job.given.max_attempts);
  return fmt::format("{} run{}", number, number == 1 ? "" : "s");
}

static std::string answer_to_nack(const Moment& m) {
  const auto* answer = m.answer<Nacked>();
  if (!answer) return words::outcome(m);
  if (answer->run_at)
    return fmt::format("{}, to run at {}", words::state(answer->state),
                       words::at(m, *answer->run_at));
  return words::state(answer->state) +
         (is_terminal(answer->state) ? "" : ", with no time to run at");
}

static std::string nacked(const Moment& m, const HoldUse& use, std::string_view expected) {
  return fmt::format(
      "{} failed at {} with its counter at {} and {} allowed: {}; the answer "
      "was: {}.",
      words::job(use.job), words::at(m, m.now), use.job.counter.hi, runs(m, use.job), expected,
      answer_to_nack(m));
}

static void decided_by_store(const Moment& m, const HoldUse& use, const Nack& request,
                             Verdicts& v) {
  const auto* answer = m.answer<Nacked>();
  std::vector<OpId> ops{use.job.lease().op};
  bool dead = answer && answer->state == JobState::dead;
  bool waits = answer && (answer->state == JobState::scheduled || answer->state == JobState::ready);
  if (use.standing == Standing::current || answer)
    v.expect("RETRY-3", dead != waits && (dead || answer->run_at), use.job, ops, [&] {
      return nacked(m, use, "it must be dead now, or wait for a retry at a given time");
    });
  if (!answer) return;
  if (request.unrecoverable) {
    auto story = [&] {
      return nacked(m, use, "the error is unrecoverable, so it must be dead now");
    };
    v.expect("RETRY-13", dead, use.job, ops, story);
    v.expect("DLQ-1", dead, use.job, ops, story);
    return;
  }
  if (use.job.counter.lo != use.job.counter.hi) return;
  bool last = at_limit(m, use.job);
  auto story = [&] {
    return nacked(m, use,
                  last ? "that was its last run, so it must be dead now"
                       : "it has runs left, so it must wait for a retry at a given time");
  };
  v.expect("RETRY-6", dead == last, use.job, ops, story);
  if (last) v.expect("RETRY-5", dead, use.job, ops, story);
  if (last) v.expect("DLQ-1", dead, use.job, ops, story);
  if (!last) v.expect("RETRY-4", waits && answer->run_at, use.job, ops, story);
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  bool settles = use.standing == Standing::current || use.standing == Standing::lapsed;
  const auto* nack = m.request<Nack>();
  if (nack && settles) decided_by_store(m, use, *nack, v);
  if (m.request<Retry>() && use.standing == Standing::current)
    v.expect("RETRY-7", m.ok(), use.job, {use.job.lease().op}, [&] {
      return fmt::format(
          "the holder of {} handed in a retry at {}, before its lease ended at {}, and "
          "was {}.",
          words::job(use.job), words::at(m, m.now), words::at(m, use.job.lease().expires_at),
          words::outcome(m));
    });
  if (use.standing == Standing::repeat && use.kind != Change::ack) v.triggered("RETRY-11");
  bool terminal = use.job.phase == Phase::done || use.job.phase == Phase::dead ||
                  use.job.phase == Phase::cancelled;
  bool retries = use.kind == Change::retry || use.kind == Change::nack;
  if (terminal && retries && use.standing != Standing::repeat)
    v.expect("RETRY-9", m.refused(), use.job, {use.job.changed_at}, [&] {
      return fmt::format("{} is {} since {}; {} it was accepted.", words::job(use.job),
                         words::phase(m.facts, use.job, m.now), words::op(use.job.changed_at),
                         use.kind == Change::nack ? "nacking" : "retrying");
    });
}

// RETRY-8: a job that comes back from a failure under another id.
static void operation(const Moment& m, Verdicts& v) {
  const auto* request = m.request<Reserve>();
  const auto* answer = m.answer<Claims>();
  if (!m.plain || !request || !answer) return;
  for (const Claim& claim : answer->claims) {
    if (m.facts.perhaps_made(claim.job.id)) continue;
    if (m.facts.find(claim.job.id)) continue;
    each_asked(m, *request, [&](const QueueFacts& queue) {
      for (const auto& [from, index] : queue.waiting) {
        const JobFacts& job = m.facts.job(index);
        if (from > m.now) break;
        if (job.cause != Cause::failure || job.given.payload != claim.job.payload) continue;
        v.convict("RETRY-8", &job, {job.changed_at},
                  fmt::format("{} was put off in {}, and came back under the id {}.",
                              words::job(job), words::op(job.changed_at), claim.job.id));
        return;
      }
    });
  }
}

static void after_expiry(const Moment& m, const Delivery& d, Verdicts& v) {
  const JobFacts& job = d.job;
  bool lapsed = m.facts.lapsed(job, m.now);
  if (!lapsed && job.cause != Cause::expiry) return;
  v.expect("RETRY-1", job.counter.holds(d.claim.job.attempts), job, {job.lease().op}, [&] {
    return fmt::format(
        "{} lost its lease of {}; its counter was {}, and it was handed out with {}.",
        words::job(job), words::op(job.lease().op), job.counter.hi, d.claim.job.attempts);
  });
  bool over = lapsed && m.facts.surely_exhausted(job);
  v.expect("RETRY-14", !over, job, {job.lease().op}, [&] {
    return fmt::format(
        "the leases that {} lost use up the {} that it is allowed, so it must be dead; it was "
        "handed out again at {}.",
        words::job(job), runs(m, job), words::at(m, m.now));
  });
  if (m.profile.counter != Counter::attempt_no) return;
  std::int64_t next = lapsed ? job.counter.hi + 1 : job.counter.hi;
  v.expect("RETRY-14", d.claim.job.attempts == next, job, {job.lease().op}, [&] {
    return fmt::format(
        "{} lost its lease of {}, so its next attempt must be number {}; it was handed out as "
        "number {}.",
        words::job(job), words::op(job.lease().op), next, d.claim.job.attempts);
  });
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  const JobFacts& job = d.job;
  after_expiry(m, d, v);
  if (job.phase != Phase::waiting || job.cause != Cause::failure) return;
  v.triggered("RETRY-8");
  auto story = [&] {
    return fmt::format("after {} the counter of {} is {}; it was handed out with {}.",
                       words::op(job.changed_at), words::job(job), job.counter.hi,
                       d.claim.job.attempts);
  };
  bool raised =
      m.profile.counter == Counter::starts
          ? d.claim.job.attempts >= job.counter.lo && d.claim.job.attempts <= job.counter.hi + 1
          : d.claim.job.attempts == job.counter.hi;
  v.expect("RETRY-1", raised, job, {job.changed_at}, story);
  v.expect("RETRY-2", raised, job, {job.changed_at}, story);
  v.expect("RETRY-7", raised, job, {job.changed_at}, story);
}

static void recorded(const Moment& m, const Sighting& s, Verdicts& v) {
  const JobFacts& job = s.job;
  bool counted = job.counter.holds(s.shown.attempts);
  bool timed = job.phase != Phase::waiting || !job.run_at ||
               (s.shown.run_at && same_time(m.profile, *s.shown.run_at, *job.run_at));
  auto story = [&] {
    return fmt::format(
        "{} left {} {} with its counter at {}{}, and so it must be shown; it is "
        "shown as {} with its counter at {}{}.",
        words::op(job.changed_at), words::job(job), words::phase(m.facts, job, m.now),
        job.counter.hi, job.run_at ? ", to run at " + words::at(m, *job.run_at) : "",
        words::state(s.shown.state), s.shown.attempts,
        s.shown.run_at ? ", to run at " + words::at(m, *s.shown.run_at) : "");
  };
  v.expect("RETRY-1", counted, job, {job.changed_at}, story);
  v.expect("RETRY-2", counted, job, {job.changed_at}, story);
  bool waits = job.phase == Phase::waiting;
  if (waits) v.expect("RETRY-4", s.as_expected() && timed, job, {job.changed_at}, story);
  v.expect("RETRY-7", counted && timed && (!waits || s.as_expected()), job, {job.changed_at},
           story);
  if (!job.repeated.empty())
    v.expect("RETRY-11", s.as_expected() && counted && timed, job, job.repeated, story);
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  const JobFacts& job = s.job;
  if (is_failure(job.changed_by)) recorded(m, s, v);
  if (job.phase == Phase::dead && job.changed_by == Change::nack)
    v.expect("DLQ-1", s.as_expected(), job, {job.changed_at}, [&] {
      return fmt::format("{} failed for good in {}, but is shown as {}.", words::job(job),
                         words::op(job.changed_at), words::state(s.shown.state));
    });
  // A lease that ran out is no recorded failure.
  if (m.facts.lapsed(job, m.now) || job.cause == Cause::expiry)
    v.expect("RETRY-1", job.counter.holds(s.shown.attempts), job, {job.lease().op}, [&] {
      return fmt::format("{} lost its lease of {}; its counter was {} and is shown as {}.",
                         words::job(job), words::op(job.lease().op), job.counter.hi,
                         s.shown.attempts);
    });
  bool overruled =
      job.phase == Phase::dead && job.changed_by == Change::fail && !is_terminal(s.shown.state);
  if (overruled)
    v.convict("POLICY-1", &job, {job.changed_at},
              fmt::format("the engine failed {} for good in {}, but the driver shows it as {}.",
                          words::job(job), words::op(job.changed_at), words::state(s.shown.state)));
  bool dead = s.shown.state == JobState::dead;
  if (job.phase == Phase::dead && job.changed_by == Change::expiry)
    v.expect("RETRY-14", dead, job, {job.changed_at}, [&] {
      return fmt::format(
          "the leases that {} lost use up the {} that it is allowed, so it must be dead; it "
          "is shown as {}.",
          words::job(job), runs(m, job), words::state(s.shown.state));
    });
  bool alive =
      m.facts.lapsed(job, m.now) ? !m.facts.perhaps_exhausted(job) : job.phase == Phase::waiting;
  if (alive && job.cause == Cause::expiry) v.triggered("RETRY-14");
  if (alive && dead && m.facts.lapsed(job, m.now))
    v.convict("RETRY-14", &job, {job.lease().op},
              fmt::format("{} lost its lease of {} and has some of its {} left, so it must "
                          "come back; it is shown as dead.",
                          words::job(job), words::op(job.lease().op), runs(m, job)));
  bool used_up = job.counter.lo >= runs_allowed(m.profile, job.given.max_attempts);
  bool tempts =
      alive && (m.facts.lapsed(job, m.now) || (used_up && job.changed_by == Change::retry));
  if (tempts)
    v.expect("POLICY-1", !dead, job, {job.changed_at}, [&] {
      return fmt::format("nobody failed {} for good, but the driver shows it as dead.",
                         words::job(job));
    });
}

// Which failure of a job without a limit of its own is the last; and that a worker whose store
// decides does not.
static void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  judge_failures(view);
  for (const HandlerRun& run : facts.runs) {
    const Assignment* mine = view.under(run);
    if (!mine || !view.failed_by_itself(run) || mine->settles.empty()) continue;
    const EngineCall& settle = view.call(mine->settles.front());
    view.expect("POLICY-2", std::holds_alternative<Nack>(settle.request),
                {view.claimed(*mine), settle.op}, [&] {
                  return fmt::format(
                      "{} failed, and what becomes of the job is the store's to "
                      "say; the worker settled it by {}.",
                      view.run(run), name_of(settle.request));
                });
    const auto limit = mine->claim.job.max_attempts;
    if ((limit && *limit > 0) || view.worker(run.worker).number("most_runs") > 0) continue;
    const auto means = meaning_of(facts, settle, mine->claim);
    const auto* answer = settle.ok() ? std::get_if<Nacked>(&settle.response) : nullptr;
    if (facts.profile.decider == Decider::store && !answer) continue;
    const bool ends = answer ? answer->state == JobState::dead : means == SettleMeans::last_failure;
    const std::int64_t runs = runs_allowed(facts.profile, std::nullopt);
    const std::int64_t n = view.run_number(mine->claim);
    if (!ends && n < runs) continue;
    view.expect("RETRY-12", ends == (n >= runs), {view.claimed(*mine), settle.op}, [&] {
      return fmt::format("{} failed in run {} of {} by default, and {}.", view.run(run), n, runs,
                         ends ? "is dead" : "is to be run again");
    });
  }
}

static constexpr std::string_view rules[] = {
    "POLICY-2", "RETRY-12", "RETRY-1", "RETRY-2",  "RETRY-3",  "RETRY-4",  "RETRY-5", "RETRY-6",
    "RETRY-7",  "RETRY-8",  "RETRY-9", "RETRY-11", "RETRY-13", "RETRY-14", "DLQ-1",   "POLICY-1"};

static bool concerns(Change kind, Standing) { return kind != Change::ack; }

Property retry() {
  return {.family = "retry",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Reserve>,
          .holds = concerns,
          .first_runs = false,
          .engine = engine};
}

}  // namespace assay::properties
