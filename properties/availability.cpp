// availability: while the store is away workers ask seldom, and when it is back they work.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

constexpr Duration worth_judging = std::chrono::seconds(10);
// Of one worker, on average: one that does not back off asks many times as often.
constexpr Duration at_least_apart{250};

void backs_off(const EngineView& view, int index, const TimeAway& outage) {
  const EngineWorker& worker = view.worker(index);
  if (!worker.runs_jobs()) return;
  const Mark end = outage.ended.value_or(outage.began);
  if (end.now - outage.began.now < worth_judging) return;
  if (!worker.claims_at(outage.began.place) || !worker.claims_at(end.place)) return;
  std::int64_t asked = 0;
  std::vector<OpId> ops;
  std::optional<OpId> again;
  const Instant soon = end.now + worker.length("outage_ms") + worker.length("poll_ms");
  bool is_busy_behind_it = false;
  for (const EngineCall& call : view.facts.calls) {
    // Where jobs are claimed by their ids, a listing is how a worker asks for some.
    const bool asks =
        std::holds_alternative<Reserve>(call.request) || std::holds_alternative<List>(call.request);
    if (call.worker != index || !asks) continue;
    if (call.began.place > outage.began.place && call.began.place < end.place) {
      ++asked;
      if (ops.size() < 4) ops.push_back(call.op);
    }
    if (call.began.place > end.place && call.began.now <= soon && !again) again = call.op;
  }
  std::int64_t running = 0;
  for (const HandlerRun& run : view.facts.runs)
    if (run.worker == index && run.began.place < end.place &&
        (!run.ended || run.ended->now > end.now))
      ++running;
  // With no type that could run there is nothing to ask for.
  const bool is_limited = worker.number("type_limit") > 0 || worker.number("rate_every_ms") > 0;
  // And who only hears of jobs does not ask.
  is_busy_behind_it =
      is_limited || worker.number("only_hears") > 0 || running >= worker.number("concurrency");
  const std::int64_t most = (end.now - outage.began.now) / at_least_apart;
  if (ops.empty()) ops.push_back(view.before(end));
  view.expect("AVAIL-1", asked <= most, ops, [&] {
    return fmt::format("the store was away from {} to {}, and {} asked it {} times.",
                       view.at(outage.began.now), view.at(end.now), worker.name, asked);
  });
  const auto last = view.facts.watched;
  const bool is_away_again = std::ranges::any_of(view.facts.outages, [&](const TimeAway& other) {
    return &other != &outage && (!other.worker || *other.worker == index) &&
           other.began.now <= soon && (!other.ended || other.ended->now >= end.now);
  });
  if (is_away_again || is_busy_behind_it || !last || last->now < soon ||
      !worker.claims_at(last->place))
    return;
  view.expect("AVAIL-1", again.has_value(), {view.before(end)}, [&] {
    return fmt::format("the store was back at {}, and {} asked for no job by {}.", view.at(end.now),
                       worker.name, view.at(soon));
  });
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const TimeAway& outage : facts.outages)
    for (std::size_t i = 0; i < facts.workers.size(); ++i)
      if (facts.workers[i].runs_jobs() && (!outage.worker || *outage.worker == static_cast<int>(i)))
        backs_off(view, static_cast<int>(i), outage);
}

constexpr std::string_view rules[] = {"AVAIL-1"};

}  // namespace

Property availability() {
  return {.family = "availability", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
