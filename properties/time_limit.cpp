// time_limit: a handler that runs for too long, or into a shutdown, is told to stop, then and not
// before.
#include <fmt/format.h>

#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

constexpr std::string_view by_time = "timed_out";

// Whether it still ran then, with nobody having told it anything.
bool ran_until(const EngineView& view, const HandlerRun& run, Instant when) {
  if (run.told_to_stop && run.told_to_stop->now < when) return false;
  const auto over = view.over(run);
  const Mark last = over.value_or(view.facts.last);
  return last.now > when;
}

void stops_at_its_limit(const EngineView& view, const HandlerRun& run) {
  const Assignment* mine = view.under(run);
  const auto limit = view.facts.timeout_of(run);
  if (!mine || !limit) return;
  const Instant due = run.began.now + *limit;
  const Duration lease = view.facts.lease_of(*mine);
  const auto usual = view.worker(run.worker).length("timeout_ms");
  const bool is_own = mine->claim.job.timeout && *mine->claim.job.timeout != usual;
  const bool is_stopped = run.was_told(by_time) && run.told_to_stop->now == due;
  const bool at_another_time = run.was_told(by_time) && run.told_to_stop->now != due;
  const auto story = [&] {
    return fmt::format("{} began at {} and may take {} ms; it was {}.", view.run(run),
                       view.at(run.began.now), to_ms(*limit),
                       run.told_to_stop ? "told to stop at " + view.at(run.told_to_stop->now)
                                        : std::string("not told to stop"));
  };
  const std::vector<OpId> ops{
      view.claimed(*mine),
      view.before(run.told_to_stop ? *run.told_to_stop : view.kept_until(run))};
  const bool other_reason = run.told_to_stop && run.why != by_time && run.told_to_stop->now == due;
  const bool must_stop = ran_until(view, run, due) && !other_reason;
  if (must_stop || is_stopped) {
    view.expect("TIME-2", is_stopped, ops, story);
    if (is_own) view.expect("TIME-1", is_stopped, ops, story);
    const bool is_kept = std::ranges::any_of(
        mine->heartbeats, [&](std::size_t beat) { return view.call(beat).ok(); });
    if (is_kept) view.expect("TIME-6", is_stopped, ops, story);
  }
  // A run that outlived its lease, or its limit, whichever is shorter.
  const Instant first = run.began.now + std::min(lease, *limit);
  if (lease != *limit && (at_another_time || ran_until(view, run, first) || is_stopped))
    view.expect("TIME-5", !at_another_time, ops, story);
}

void counts_as_failure(const EngineView& view, const HandlerRun& run) {
  const Assignment* mine = view.under(run);
  if (!mine || !run.was_told(by_time) || mine->settles.empty()) return;
  const EngineCall& settle = view.call(mine->settles.front());
  const auto means = meaning_of(view.facts, settle, mine->claim);
  const bool is_last = view.run_number(mine->claim) >= view.runs_allowed_to(*mine);
  const bool holds =
      means == SettleMeans::failure || (means == SettleMeans::last_failure && is_last);
  view.expect("TIME-4", holds, {view.claimed(*mine), settle.op}, [&] {
    return fmt::format(
        "{} ran out of time at {}, which is a failure and no other; it was settled "
        "by {}.",
        view.run(run), view.at(run.told_to_stop->now), name_of(settle.request));
  });
}

void stops_at_shutdown(const EngineView& view, const HandlerRun& run) {
  const EngineWorker& worker = view.worker(run.worker);
  if (!worker.stopping || run.began.place > worker.stopping->place) return;
  const Instant due = worker.stopping->now + worker.length("grace_ms");
  const bool is_told = run.told_to_stop && run.told_to_stop->now <= due;
  const auto over = view.over(run);
  if (!over || over->place < worker.stopping->place) return;
  if (!is_told && over->now <= due) return;
  view.expect("TIME-3", is_told, {view.before(*over)}, [&] {
    return fmt::format(
        "{} was asked to end at {} with a grace of {} ms; {} was not told to stop "
        "by then.",
        worker.name, view.at(worker.stopping->now), worker.number("grace_ms"), view.run(run));
  });
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const HandlerRun& run : facts.runs) {
    if (run.worker < 0) continue;
    stops_at_its_limit(view, run);
    counts_as_failure(view, run);
    stops_at_shutdown(view, run);
  }
}

constexpr std::string_view rules[] = {"TIME-1", "TIME-2", "TIME-3", "TIME-4", "TIME-5", "TIME-6"};

}  // namespace

Property time_limit() {
  return {.family = "time_limit", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
