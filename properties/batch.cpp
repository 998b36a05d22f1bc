// batch: settles that are sent together are each sent, and none is forgotten.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

// The store could not be reached until the lease was over, or so shortly before that that nobody
// need have tried again.
bool lease_may_end_first(const EngineView& view, const HandlerRun& run, const Assignment& mine) {
  const Duration lease = view.facts.lease_of(mine);
  return std::ranges::any_of(view.facts.outages, [&](const TimeAway& outage) {
    if (outage.worker && *outage.worker != run.worker) return false;
    if (outage.began.now >= mine.expires_at) return false;
    if (outage.ended && outage.ended->now < run.ended->now) return false;
    const auto& ended = view.worker(run.worker).ended;
    if (ended && !mine.settles.empty() && (!outage.ended || outage.ended->place > ended->place))
      return true;
    return !outage.ended || outage.ended->now >= mine.expires_at - lease / 4;
  });
}

// A success whose lease was not lost by then must be told to the store, and again where there was
// no answer, until there is one or the lease is over.
void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const HandlerRun& run : facts.runs) {
    const Assignment* mine = view.under(run);
    if (!mine || run.how != "ok" || run.told_to_stop) continue;
    const EngineWorker& worker = view.worker(run.worker);
    if (worker.number("group_acks") == 0) continue;
    if (worker.died && worker.died->place > run.ended->place) continue;
    const bool is_answered = std::ranges::any_of(mine->settles, [&](std::size_t settle) {
      const EngineCall& call = view.call(settle);
      // Perhaps as a failure: its time was up in the very instant in which it succeeded.
      return call.ok() || call.refused();
    });
    if (!is_answered && lease_may_end_first(view, run, *mine)) continue;
    const bool is_at_the_end = worker.stopping && worker.stopping->place < run.ended->place;
    const bool had_trouble = std::ranges::any_of(mine->settles, [&](std::size_t settle) {
      return view.call(settle).outcome == OutcomeKind::unknown;
    });
    if (is_answered && !is_at_the_end && !had_trouble) continue;
    view.expect("XBATCH-1", is_answered, {view.claimed(*mine), view.before(*run.ended)}, [&] {
      return fmt::format("{} succeeded at {}, and the store was not told.", view.run(run),
                         view.at(run.ended->now));
    });
  }
}

constexpr std::string_view rules[] = {"XBATCH-1"};

}  // namespace

Property batch() { return {.family = "batch", .rules = rules, .calls = no_call, .engine = engine}; }

}  // namespace assay::properties
