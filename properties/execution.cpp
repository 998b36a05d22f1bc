// execution: a handler runs under a claim that is good, and nothing is said of its end before it.
#include <fmt/format.h>

#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

void needs_claim(const EngineView& view, const HandlerRun& run) {
  view.expect("EXEC-1", run.under.has_value(), {view.before(run.began)}, [&] {
    return fmt::format("{} began at {}, and no claim that was not run already gave it the job.",
                       view.run(run), view.at(run.began.now));
  });
}

// Until when the claim was good at that place, as far as its holder had been told.
Instant good_until(const EngineView& view, const Assignment& assignment, Place place) {
  Instant until = assignment.claim.expires_at;
  for (const std::size_t index : assignment.heartbeats) {
    const EngineCall& call = view.call(index);
    const auto* extended = call.ok() ? std::get_if<Extended>(&call.response) : nullptr;
    if (extended && call.ended && call.ended->place < place) until = extended->expires_at;
  }
  return until;
}

void needs_lease(const EngineView& view, const HandlerRun& run) {
  const Assignment* mine = view.under(run);
  if (!mine) return;
  const auto* story = view.facts.job(run.job_id);
  const Mark until = view.kept_until(run);
  const Instant good = good_until(view, *mine, until.place);
  // Somebody else got the job while it ran, or its lease was over before it began or ended.
  const bool was_taken = std::ranges::any_of(story->assignments, [&](std::size_t other) {
    const Assignment& later = view.facts.assignments[other];
    return later.at.place > mine->at.place && later.at.place < until.place;
  });
  const bool outlives_it = until.now > good;
  if (!was_taken && !outlives_it && story->assignments.size() < 2) return;
  view.expect("EXEC-2", !outlives_it, {view.claimed(*mine), view.before(until)}, [&] {
    return fmt::format("{} went on until {}, not told to stop, though its lease was over at {}.",
                       view.run(run), view.at(until.now), view.at(good));
  });
}

void comes_before_its_settle(const EngineView& view, const HandlerRun& run) {
  const Assignment* mine = view.under(run);
  if (!mine || mine->settles.empty()) return;
  const EngineCall& settle = view.call(mine->settles.front());
  view.expect("EXEC-3", run.ended && run.ended->place < settle.began.place,
              {view.claimed(*mine), settle.op}, [&] {
                return fmt::format("{} was settled at {}, before it had ended.", view.run(run),
                                   view.at(settle.began.now));
              });
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const HandlerRun& run : facts.runs) {
    if (run.worker < 0) continue;
    needs_claim(view, run);
    needs_lease(view, run);
    comes_before_its_settle(view, run);
  }
}

constexpr std::string_view rules[] = {"EXEC-1", "EXEC-2", "EXEC-3"};

}  // namespace

Property execution() {
  return {.family = "execution", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
