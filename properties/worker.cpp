// worker: what a worker does with a job that it cannot run, with a handler that throws, with a
// lease that it lost, with its own end, and with two limits.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

bool is_known(const EngineWorker& worker, const std::string& type) {
  return std::ranges::find(worker.types, type) != worker.types.end();
}

void buries_unknown_types(const EngineView& view, const Assignment& assignment) {
  const EngineWorker& worker = view.worker(assignment.worker);
  if (is_known(worker, assignment.claim.job.type)) return;
  if (!assignment.settles.empty()) {
    const EngineCall& settle = view.call(assignment.settles.front());
    const auto means = meaning_of(view.facts, settle, assignment.claim);
    const bool is_buried = means == SettleMeans::last_failure;
    view.expect("XWORK-1", is_buried && !assignment.run, {view.claimed(assignment), settle.op},
                [&] {
                  return fmt::format(
                      "{} has no handler for {}, which is the end of {}; it was settled by {}.",
                      worker.name, assignment.claim.job.type, view.job(assignment.claim.job.id),
                      name_of(settle.request));
                });
  } else if (assignment.run) {
    view.convict("XWORK-1", {view.claimed(assignment)},
                 fmt::format("{} has no handler for {}, and ran {} all the same.", worker.name,
                             assignment.claim.job.type, view.job(assignment.claim.job.id)));
  }
}

// What a handler threw is a failure like any other.
void takes_throws_as_failures(const EngineView& view, const HandlerRun& run,
                              const Assignment& mine) {
  if (run.how != "threw" || !view.failed_by_itself(run) || mine.settles.empty()) return;
  const EngineCall& settle = view.call(mine.settles.front());
  const auto means = meaning_of(view.facts, settle, mine.claim);
  const bool is_last = view.run_number(mine.claim) >= view.runs_allowed_to(mine);
  const bool holds =
      means == SettleMeans::failure || (means == SettleMeans::last_failure && is_last);
  view.expect("XWORK-1", holds, {view.claimed(mine), settle.op}, [&] {
    return fmt::format("{} threw at {}, which is a failure; it was settled by {}.", view.run(run),
                       view.at(run.ended->now), name_of(settle.request));
  });
}

// A heartbeat that is refused means that the job is not its own any more.
void stops_what_it_lost(const EngineView& view, const HandlerRun& run, const Assignment& mine) {
  for (const std::size_t index : mine.heartbeats) {
    const EngineCall& beat = view.call(index);
    if (!beat.refused() || !beat.ended || beat.error.code != ErrorCode::lease_lost) continue;
    if (run.told_to_stop && run.told_to_stop->place < beat.ended->place) return;
    const auto over = view.over(run);
    if (over && over->now <= beat.ended->now) return;
    view.expect("XWORK-1", run.told_to_stop && run.told_to_stop->now == beat.ended->now,
                {view.claimed(mine), beat.op}, [&] {
                  return fmt::format(
                      "a heartbeat for {} was refused at {}, and its handler was "
                      "not told to stop.",
                      view.run(run), view.at(beat.ended->now));
                });
    return;
  }
}

void waits_for_handlers(const EngineView& view, const EngineWorker& worker, int index) {
  if (!worker.stopping || !worker.ended) return;
  const Instant longest =
      worker.stopping->now + worker.length("grace_ms") + worker.length("interruption_ms");
  for (const HandlerRun& run : view.facts.runs) {
    if (run.worker != index || run.began.place > worker.ended->place) continue;
    if (run.ended && run.ended->place < worker.stopping->place) continue;
    const bool waited =
        (run.ended && run.ended->place < worker.ended->place) || worker.ended->now >= longest;
    view.expect("XWORK-1", waited, {view.before(*worker.ended)}, [&] {
      return fmt::format("{} was asked to end at {} and had ended at {}, but {} had not.",
                         worker.name, view.at(worker.stopping->now), view.at(worker.ended->now),
                         view.run(run));
    });
  }
}

// The lesser of the job's limit and the policy's decides which failure is the last.
void obeys_both_limits(const EngineView& view, const HandlerRun& run, const Assignment& mine) {
  const std::int64_t most = view.worker(run.worker).number("most_runs");
  const auto own = mine.claim.job.max_attempts;
  if (most <= 0 || !own || *own <= 0 || runs_allowed(view.facts.profile, own) == most) return;
  if (!view.failed_by_itself(run) || mine.settles.empty()) return;
  const EngineCall& settle = view.call(mine.settles.front());
  const bool is_last = view.run_number(mine.claim) >= view.runs_allowed_to(mine);
  const auto wanted = is_last ? SettleMeans::last_failure : SettleMeans::failure;
  view.expect("XWORK-2", meaning_of(view.facts, settle, mine.claim) == wanted,
              {view.claimed(mine), settle.op}, [&] {
                return fmt::format(
                    "{} failed in run {}; the job may have {} runs and the policy allows {}, so it "
                    "is {} to be the last; it was settled by {}.",
                    view.run(run), view.run_number(mine.claim),
                    runs_allowed(view.facts.profile, own), most, is_last ? "" : "not",
                    name_of(settle.request));
              });
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const Assignment& assignment : facts.assignments)
    if (assignment.worker >= 0) buries_unknown_types(view, assignment);
  for (const HandlerRun& run : facts.runs) {
    const Assignment* mine = view.under(run);
    if (!mine) continue;
    takes_throws_as_failures(view, run, *mine);
    stops_what_it_lost(view, run, *mine);
    obeys_both_limits(view, run, *mine);
  }
  for (std::size_t i = 0; i < facts.workers.size(); ++i)
    waits_for_handlers(view, facts.workers[i], static_cast<int>(i));
}

constexpr std::string_view rules[] = {"XWORK-1", "XWORK-2"};

}  // namespace

Property worker() {
  return {.family = "worker", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
