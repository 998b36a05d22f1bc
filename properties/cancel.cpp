// cancel: ends a job that has not ended, and nothing else.
#include <fmt/format.h>

#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static std::string since(const Moment& m, const JobFacts& job) {
  return fmt::format("{} is {} since {}", words::job(job), words::phase(m.facts, job, m.now),
                     words::op(job.changed_at));
}

static JobState state_of(Phase phase) {
  return phase == Phase::done   ? JobState::done
         : phase == Phase::dead ? JobState::dead
                                : JobState::cancelled;
}

static void cancel(const Moment& m, const JobFacts& job, Verdicts& v) {
  const auto* answer = m.answer<Cancelled>();
  auto story = [&] {
    return since(m, job) + fmt::format("; cancelling it was {}{}.", words::outcome(m),
                                       answer ? ", as " + words::state(answer->state) : "");
  };
  if (m.facts.lapsed(job, m.now) && m.facts.perhaps_exhausted(job)) return;
  if (job.phase == Phase::waiting || job.phase == Phase::leased) {
    v.expect("CANCEL-1", answer && answer->state == JobState::cancelled, job, {job.changed_at},
             story);
    return;
  }
  bool harmless = answer ? answer->state == state_of(job.phase)
                         : m.refused(ErrorCode::conflict) ||
                               (job.phase != Phase::dead && m.refused(ErrorCode::not_found));
  v.expect("CANCEL-3", harmless, job, {job.changed_at}, story);
  v.expect("XCANC-1", harmless, job, {job.changed_at}, story);
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  const auto* request = m.request<Cancel>();
  const JobFacts* job = request ? m.facts.find(request->job_id) : nullptr;
  if (job && !job->spoiled) cancel(m, *job, v);
  const auto* reserve = m.request<Reserve>();
  const JobFacts* cancelled = reserve ? tempting_in(m, *reserve, Phase::cancelled) : nullptr;
  if (!cancelled) return;
  bool waiting = cancelled->cancelled_waiting;
  each_asked(m, *reserve, [&](const QueueFacts& queue) { waiting |= queue.fresh_cancelled > 0; });
  if (waiting) v.triggered("CANCEL-2");
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  if (use.job.phase != Phase::cancelled || use.standing == Standing::repeat) return;
  v.expect("CANCEL-4", m.refused(), use.job, {use.job.changed_at}, [&] {
    return since(m, use.job) + fmt::format("; {} was accepted.", name_of(m.call.request));
  });
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  if (d.job.phase != Phase::cancelled) return;
  if (d.job.cancelled_waiting)
    v.convict("CANCEL-2", &d.job, {d.job.changed_at},
              since(m, d.job) + ", before anybody had claimed it, but was handed out.");
  v.convict("CANCEL-4", &d.job, {d.job.changed_at}, since(m, d.job) + ", but was handed out.");
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  bool shown = s.shown.state == JobState::cancelled;
  auto story = [&] {
    return since(m, s.job) + fmt::format("; it is shown as {}.", words::state(s.shown.state));
  };
  if (s.job.phase == Phase::cancelled) {
    v.expect("CANCEL-1", shown, s.job, {s.job.changed_at}, story);
    v.expect("CANCEL-4", shown, s.job, {s.job.changed_at}, story);
    return;
  }
  if (shown) v.convict("CANCEL-4", &s.job, {s.job.changed_at}, story());
  bool over = s.job.phase == Phase::done || s.job.phase == Phase::dead;
  bool tried = !s.job.refused.empty() || !s.job.repeated.empty();
  if (!over || !tried) return;
  if (!s.as_expected()) {
    v.convict("CANCEL-3", &s.job, s.job.refused, story());
    v.convict("XCANC-1", &s.job, s.job.refused, story());
  }
}

static constexpr std::string_view rules[] = {"CANCEL-1", "CANCEL-2", "CANCEL-3", "CANCEL-4",
                                             "XCANC-1"};

// A job that is cancelled is held by nobody.
static bool concerns(Change, Standing standing) {
  return standing != Standing::current && standing != Standing::lapsed;
}

Property cancel() {
  return {.family = "cancel",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Cancel, Reserve>,
          .holds = concerns,
          .first_runs = false};
}

}  // namespace assay::properties
