// limit: how many of a type run at once, and how often; and that a job which waits for it is
// counted.
#include <fmt/format.h>

#include <map>

#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

const std::string& type_of(const EngineView& view, const HandlerRun& run) {
  return view.under(run)->claim.job.type;
}

// The runs of one type by one worker, in the order of their beginnings.
struct Together {
  std::vector<const HandlerRun*> open;  // that had not ended when the last one began
  const HandlerRun* last = nullptr;

  void add(const EngineView& view, const HandlerRun& run) {
    std::erase_if(open, [&](const HandlerRun* other) {
      const auto over = view.over(*other);
      return over && over->place < run.began.place;
    });
    open.push_back(&run);
    last = &run;
  }
};

void at_once(const EngineView& view, const HandlerRun& run, const Together& with,
             std::int64_t most) {
  const auto together = static_cast<std::int64_t>(with.open.size());
  if (together < most) return;
  std::vector<OpId> ops;
  if (together > most)
    for (const HandlerRun* other : with.open) ops.push_back(view.claimed(*view.under(*other)));
  else
    ops.push_back(view.claimed(*view.under(run)));
  view.expect("XFLOW-1", together <= most, ops, [&] {
    return fmt::format("{} began at {}, when {} of type {} ran already; {} may run at once.",
                       view.run(run), view.at(run.began.now), together - 1, type_of(view, run),
                       most);
  });
}

// One token at first, and one more each time: no two begin within less.
void how_often(const EngineView& view, const HandlerRun& run, const HandlerRun* before,
               Duration every) {
  if (!before) return;
  const Duration gap = run.began.now - before->began.now;
  view.expect("XFLOW-1", gap >= every,
              {view.claimed(*view.under(*before)), view.claimed(*view.under(run))}, [&] {
                return fmt::format(
                    "{} began {} ms after the run before it; one of type {} may "
                    "begin every {} ms.",
                    view.run(run), to_ms(gap), type_of(view, run), to_ms(every));
              });
}

// A job that was claimed, and is not run, was held back by something that is told.
void is_told(const EngineView& view, const Assignment& assignment) {
  const EngineWorker& worker = view.worker(assignment.worker);
  if (assignment.run && !assignment.held_back) return;
  if (worker.died || (worker.ended && !assignment.run && assignment.settles.empty())) return;
  if (assignment.settles.empty() && !assignment.run) return;
  const OpId op = assignment.settles.empty() ? view.claimed(assignment)
                                             : view.call(assignment.settles.front()).op;
  view.expect("XFLOW-2", assignment.held_back.has_value(), {view.claimed(assignment), op}, [&] {
    return fmt::format("{} took {} at {} and did not run it, and no reason was counted.",
                       worker.name, view.job(assignment.claim.job.id), view.at(assignment.at.now));
  });
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  std::map<std::pair<int, std::string>, Together> by_type;
  for (const HandlerRun& run : facts.runs) {
    if (!run.under) continue;
    const EngineWorker& worker = view.worker(run.worker);
    Together& with = by_type[{run.worker, type_of(view, run)}];
    const HandlerRun* before = with.last;
    with.add(view, run);
    if (const auto most = worker.number("type_limit"); most > 0) at_once(view, run, with, most);
    if (const auto every = worker.length("rate_every_ms"); every > Duration{0})
      how_often(view, run, before, every);
  }
  for (const Assignment& assignment : facts.assignments)
    if (assignment.worker >= 0) is_told(view, assignment);
}

constexpr std::string_view rules[] = {"XFLOW-1", "XFLOW-2"};

}  // namespace

Property limit() { return {.family = "limit", .rules = rules, .calls = no_call, .engine = engine}; }

}  // namespace assay::properties
