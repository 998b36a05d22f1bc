// error: refusals are typed, and say what they mean.
#include <fmt/format.h>

#include "harness/judge/reading.h"
#include "properties/detail/engine.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static const JobId* named_job(const Request& request) {
  Change kind{};
  if (const Hold* hold = hold_of(request, kind)) return &hold->job_id;
  if (const auto* r = std::get_if<Get>(&request)) return &r->job_id;
  if (const auto* r = std::get_if<Cancel>(&request)) return &r->job_id;
  if (const auto* r = std::get_if<Requeue>(&request)) return &r->job_id;
  return nullptr;
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  const JobId* id = named_job(m.call.request);
  if (id && !id->empty() && !m.facts.find(*id) && !m.facts.perhaps_made(*id)) {
    v.triggered("ERR-1");
    if (!m.refused(ErrorCode::not_found))
      v.convict("ERR-1", nullptr, {},
                fmt::format("nobody ever made a job {}, but {} of it was {}.", *id,
                            name_of(m.call.request), words::outcome(m)));
  }
  const auto* request = m.request<Reserve>();
  if (!request) return;
  bool by_id =
      request->job_id && (m.refused(ErrorCode::not_found) || m.refused(ErrorCode::conflict));
  const auto* answer = m.answer<Claims>();
  if (!answer || answer->claims.empty()) v.triggered("ERR-5");
  if (!answer && !by_id)
    v.convict(
        "ERR-5", nullptr, {},
        fmt::format("a claim that finds nothing is answered with nothing, but this one was {}.",
                    words::outcome(m)));
}

static bool typed(const Moment& m, const HoldUse& use) {
  bool over = use.job.phase == Phase::done || use.job.phase == Phase::dead ||
              use.job.phase == Phase::cancelled;
  return m.refused(ErrorCode::lease_lost) || (over && m.refused(ErrorCode::conflict)) ||
         (use.job.phase == Phase::done && m.profile.done_retention &&
          m.refused(ErrorCode::not_found));
}

// XERR-1: not held comes before expired, expired before mismatch.
static bool reason_fits(const Moment& m, const HoldUse& use) {
  LeaseReason reason = m.end.error.reason;
  if (use.job.phase != Phase::leased) return reason == LeaseReason::not_held;
  if (!m.facts.lapsed(use.job, m.now)) return reason == LeaseReason::mismatch;
  return reason == LeaseReason::expired || reason == LeaseReason::not_held;
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  if (use.standing == Standing::current || !m.refused()) return;
  v.expect("ERR-2", typed(m, use), use.job, {use.job.changed_at}, [&] {
    return fmt::format("{} is {}; {} with {} was {}, which is not the error for a lost lease.",
                       words::job(use.job), words::phase(m.facts, use.job, m.now),
                       name_of(m.call.request), words::token(use.hold.token), words::outcome(m));
  });
  if (m.refused(ErrorCode::lease_lost) && m.end.error.reason != LeaseReason::unstated)
    v.expect("XERR-1", reason_fits(m, use), use.job, {use.job.changed_at}, [&] {
      return fmt::format("{} is {}; {} with {} was {}: another reason comes first.",
                         words::job(use.job), words::phase(m.facts, use.job, m.now),
                         name_of(m.call.request), words::token(use.hold.token), words::outcome(m));
    });
}

// What the store refuses to an engine, its owner learns.
static void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const Assignment& assignment : facts.assignments) {
    if (assignment.worker < 0) continue;
    const EngineWorker& worker = view.worker(assignment.worker);
    for (const std::size_t index : assignment.settles) {
      const EngineCall& settle = view.call(index);
      if (settle.ok() || !settle.ended) continue;
      // Not made since something else had changed, and made again.
      const bool was_not_asked = settle.refused() && settle.error.code == ErrorCode::unavailable;
      if (was_not_asked && index != assignment.settles.back()) continue;
      if (worker.died && worker.died->now == settle.ended->now) continue;
      const bool is_told = std::ranges::any_of(facts.surfaced, [&](const Surfaced& one) {
        return one.worker == assignment.worker && one.job_id == assignment.claim.job.id &&
               one.at.place > settle.ended->place;
      });
      view.expect("ERR-4", is_told, {view.claimed(assignment), settle.op}, [&] {
        return fmt::format("{} of {} was answered with {} at {}, and {} told nobody.",
                           name_of(settle.request), view.job(assignment.claim.job.id),
                           name_of(settle.error.code), view.at(settle.ended->now), worker.name);
      });
    }
  }
}

static constexpr std::string_view rules[] = {"ERR-4", "ERR-1", "ERR-2", "ERR-5", "XERR-1"};

static bool concerns(Change, Standing standing) { return standing != Standing::current; }

Property error() {
  return {.family = "error",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .calls = ~calls_of<Enqueue, Pause, Resume, List, Dead, Close>,
          .holds = concerns,
          .engine = engine};
}

}  // namespace assay::properties
