// heartbeat: each one grants a further lease; while they come the job stays, when they stop it
// returns.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/engine.h"
#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool kept_alive(const Moment& m, const JobFacts& job) {
  return job.phase == Phase::leased && job.lease().extensions > 0 &&
         m.facts.lease_dead(job.lease().first_expiry, m.now) && !m.facts.lapsed(job, m.now);
}

static void operation(const Moment& m, Verdicts& v) {
  const auto* request = m.request<Reserve>();
  if (!m.plain || !request) return;
  if (const JobFacts* job = tempting_live(m, *request); job && kept_alive(m, *job))
    v.triggered("HB-4");
  const JobFacts* missed = m.missed;
  if (missed && lost_its_lease(m, *missed) && missed->lease().extensions > 0)
    v.convict("HB-5", missed, {missed->changed_at},
              fmt::format("the last heartbeat for {} held until {}, but this claim at {} found "
                          "nothing.",
                          words::job(*missed), words::at(m, missed->lease().expires_at),
                          words::at(m, m.now)));
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  if (kept_alive(m, d.job))
    v.convict(
        "HB-4", &d.job, {d.job.changed_at},
        fmt::format("{} was kept by a heartbeat until {}, but handed out at {}.", words::job(d.job),
                    words::at(m, d.job.lease().expires_at), words::at(m, m.now)));
  if (lost_its_lease(m, d.job) && d.job.lease().extensions > 0) v.triggered("HB-5");
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  const auto* request = m.request<Extend>();
  const auto* answer = m.answer<Extended>();
  // A lease that ran out need not be revived, but if it is, then for as long as any other.
  bool revived = use.standing == Standing::lapsed && answer;
  if (!request || (use.standing != Standing::current && !revived)) return;
  Instant expected = std::max(use.job.lease().expires_at, m.now + request->lease);
  v.expect("HB-2", answer && same_time(m.profile, answer->expires_at, expected), use.job,
           {use.job.lease().op}, [&] {
             return fmt::format(
                 "a heartbeat for {} at {} by {} ms should hold until {}; it was {}{}.",
                 words::job(use.job), words::at(m, m.now), to_ms(request->lease),
                 words::at(m, expected), words::outcome(m),
                 answer ? ", until " + words::at(m, answer->expires_at) : "");
           });
}

// --- those who send them ---

// When the calls that keep the lease began, the claim first.
static std::vector<Instant> beats_of(const EngineView& view, const Assignment& assignment) {
  std::vector<Instant> beats{assignment.at.now};
  for (const std::size_t beat : assignment.heartbeats) beats.push_back(view.call(beat).began.now);
  return beats;
}

static void beats_in_time(const EngineView& view, const HandlerRun& run, const Assignment& mine) {
  const Mark until = view.kept_until(run);
  const Duration lease = view.facts.lease_of(mine);
  const bool all_answered =
      std::ranges::all_of(mine.heartbeats, [&](std::size_t beat) { return view.call(beat).ok(); });
  if (until.now <= mine.at.now + lease / 3 || !all_answered ||
      !view.facts.was_reachable(run.worker, mine.at, until))
    return;
  std::vector<Instant> beats = beats_of(view, mine);
  std::erase_if(beats, [&](Instant beat) { return beat > until.now; });
  // While it was claimed time may have passed: its worker may count from before.
  const Duration claiming = mine.at.now - view.call(mine.claimed).began.now;
  bool is_third = true, is_steady = true;
  for (std::size_t i = 0; i < beats.size(); ++i) {
    const bool is_last = i + 1 == beats.size();
    const Duration gap = (is_last ? until.now : beats[i + 1]) - beats[i];
    const Duration longest_gap = gap + (i == 0 ? claiming : Duration{0});
    // Behind the last one there may be less.
    is_third = is_third && gap <= lease / 2 && (is_last || longest_gap >= lease / 4);
    is_steady = is_steady && gap < lease;
  }
  const std::vector<OpId> ops{view.claimed(mine), view.before(until)};
  const auto story = [&] {
    return fmt::format("{} lasted from {} to {} under a lease of {} ms, with {} heartbeats.",
                       view.run(run), view.at(mine.at.now), view.at(until.now), to_ms(lease),
                       beats.size() - 1);
  };
  view.expect("HB-1", is_third, ops, story);
  view.expect("HB-6", is_steady, ops, story);
}

static void beats_no_more(const EngineView& view, const HandlerRun& run, const Assignment& mine) {
  if (mine.heartbeats.empty()) return;
  const Mark until = view.kept_until(run);
  const EngineCall& last = view.call(mine.heartbeats.back());
  view.expect("HB-3", last.began.now <= until.now, {view.claimed(mine), last.op}, [&] {
    return fmt::format("{} was over at {}, and a heartbeat was sent for it at {}.", view.run(run),
                       view.at(until.now), view.at(last.began.now));
  });
}

static void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const HandlerRun& run : facts.runs) {
    const Assignment* mine = view.under(run);
    if (!mine) continue;
    beats_in_time(view, run, *mine);
    beats_no_more(view, run, *mine);
  }
}

static constexpr std::string_view rules[] = {"HB-1", "HB-2", "HB-3", "HB-4", "HB-5", "HB-6"};

static bool concerns(Change kind, Standing) { return kind == Change::extend; }

Property heartbeat() {
  return {.family = "heartbeat",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .calls = calls_of<Reserve>,
          .holds = concerns,
          .first_runs = false,
          .engine = engine};
}

}  // namespace assay::properties
