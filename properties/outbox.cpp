// outbox: what is to be done in the world is written down with the change that calls for it, is
// done before that is forgotten, and is one thing however often it is written.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "properties/detail/dispatch.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

std::string_view companion_of(const EngineCall& settle) {
  return std::holds_alternative<Nack>(settle.request) ? "nack" : "retry";
}

bool has_outbox(const DispatchView& view, int worker) {
  return worker >= 0 && view.worker(worker).number("outbox") > 0;
}

// Whoever is to run later is announced by a row of that very commit.
void writes_with_the_failure(const DispatchView& view, const Assignment& failed) {
  const auto retry = retry_after(view, failed);
  if (!retry || !has_outbox(view, failed.worker)) return;
  const EngineCall& settle = *retry->settle;
  const JobId& id = failed.claim.job.id;
  const RowSeen* row =
      view.row_with(id, failed.worker, companion_of(settle), retry->first, *settle.ended);
  if (!row)
    view.convict("OUTBOX-1", {view.claimed(failed), settle.op},
                 fmt::format("{} was put off at {}, and no row that announces it was written in "
                             "that commit.",
                             view.job(id), view.at(settle.ended->now)));
  if (!view.facts.watched || retry->due > view.facts.watched->now) return;
  const std::int64_t wanted = view.run_number(failed.claim) + 1;
  view.expect("RETRY-10", row && row->run == wanted, {view.claimed(failed), settle.op}, [&] {
    return fmt::format("{} failed in run {} and was put off at {}; {}.", view.job(id), wanted - 1,
                       view.at(settle.ended->now),
                       row ? fmt::format("the row of that commit announces run {}", row->run)
                           : "no row of that commit announces the next run");
  });
}

// The ack that was taken of what the run was given; null: there is none, or whose it was is not
// certain, since the worker had the job twice.
const EngineCall* success_of(const DispatchView& view, const HandlerRun& run) {
  const Assignment* mine = view.under(run);
  if (!mine || !run.ended || run.how != "ok") return nullptr;
  for (const std::size_t index : mine->settles) {
    const EngineCall& settle = view.call(index);
    if (!settle.ok() || !settle.ended) continue;
    const bool is_its_own =
        std::holds_alternative<Ack>(settle.request) &&
        run.ended->place < view.call(mine->settles.front()).began.place &&
        std::ranges::none_of(view.facts.job(run.job_id)->runs, [&](std::size_t other) {
          const HandlerRun& one = view.facts.runs[other];
          return &one != &run && one.worker == run.worker &&
                 one.began.place < settle.ended->place &&
                 (!one.ended || one.ended->place > mine->at.place);
        });
    return is_its_own ? &settle : nullptr;
  }
  return nullptr;
}

// Each event is sent by a row of the very commit of the success.
void writes_with_the_success(const DispatchView& view, const HandlerRun& run) {
  const EngineCall* ack = run.sent.empty() ? nullptr : success_of(view, run);
  if (!ack) return;
  const Assignment& mine = *view.under(run);
  const Mark first = view.call(mine.settles.front()).began;
  for (const std::string& target : run.sent)
    if (!view.event_with(run, target, first, *ack->ended))
      view.convict("OUTBOX-1", {view.claimed(mine), ack->op},
                   fmt::format("{} sent an event to {}; its success was taken at {}, and no row of "
                               "that commit has the event.",
                               view.run(run), target, view.at(ack->ended->now)));
}

// A change and its row: never one without the other, wherever somebody died.
void is_one_commit(const DispatchView& view, const RowSeen& row) {
  const RowSeen::Writing& first = row.written.front();
  const bool is_of_dispatcher = first.by >= 0 && view.worker(first.by).is_dispatcher();
  if (is_of_dispatcher) return;
  if (first.companion == "alone")
    return view.convict("OUTBOX-1", {view.before(first.at)},
                        fmt::format("the row {} was written at {} in a commit of its own, apart "
                                    "from the change that it speaks of.",
                                    row.id, view.at(first.at.now)));
  const Mark until = row.dropped.value_or(view.facts.last);
  const bool died_between =
      std::ranges::any_of(view.facts.workers, [&](const EngineWorker& worker) {
        return worker.died && worker.died->place > first.at.place &&
               worker.died->place < until.place;
      });
  if (died_between) view.verdicts.triggered("OUTBOX-1");
}

bool was_performed(const DispatchView& view, const RowSeen& row) {
  const Mark from = row.written.front().at;
  if (row.routes()) return row.made_job || !row.routed.empty();
  const bool was_sent =
      std::ranges::any_of(view.seen().sent_about(row.task), [&](const WakeUpSent* one) {
        return one->at.now >= from.now && one->at.place < row.dropped->place;
      });
  // Who has ended need not be announced.
  return was_sent || view.was_seen_ended(row.task, row.dropped_by, from, *row.dropped);
}

// Dealt with, or in vain.
bool is_settled(const DispatchView& view, const RowSeen& row) {
  if (row.dropped) return was_performed(view, row);
  return !row.refused.empty();
}

void is_performed(const DispatchView& view, const RowSeen& row) {
  const RowSeen::Writing& first = row.written.front();
  const OpId op = view.before(first.at);
  const bool is_open = !row.is_over();
  if (is_open && !view.has_dispatcher_at_end()) return;
  if (first.at.place > view.facts.watched->place) return;
  const auto story = [&] {
    return fmt::format(
        "the row {} was written at {}; {}.", row.id, view.at(first.at.now),
        row.dropped ? "it was dropped at " + view.at(row.dropped->now) +
                          ", and what it says had not been done"
        : row.parked
            ? "it was given up at " + view.at(row.parked->now) + ", and nothing had failed"
            : "by " + view.at(view.facts.watched->now) + " what it says had not been done");
  };
  view.expect("OUTBOX-2", is_settled(view, row), {op}, story);
  const Mark until = row.dropped.value_or(row.parked.value_or(view.facts.last));
  const bool was_restarted =
      std::ranges::any_of(view.facts.workers, [&](const EngineWorker& worker) {
        return worker.is_dispatcher() && worker.started.place > first.at.place &&
               worker.started.place < until.place;
      });
  if (was_restarted) view.expect("OUTBOX-3", is_settled(view, row), {op}, story);
}

void does_its_own_thing(const DispatchView& view, const RowSeen& row) {
  const OpId op = view.before(row.written.front().at);
  if (!row.announces() && !row.routes())
    return view.convict(
        "OUTBOX-5", {op},
        fmt::format("the row {} neither announces a job nor routes an event.", row.id));
  if (!row.dropped) return;
  const bool holds = row.announces()
                         ? !row.made_job && row.routed.empty()
                         : (row.made_job || !row.routed.empty()) && !row.routed_elsewhere;
  view.expect("OUTBOX-5", holds, {op}, [&] {
    return fmt::format("the row {} {}, and was dropped at {} with {}.", row.id,
                       row.announces() ? "announces a job" : "routes an event to " + row.target,
                       view.at(row.dropped->now),
                       row.announces() ? "an event sent" : "no event taken there");
  });
}

// However often it is announced.
void does_no_harm(const DispatchView& view) {
  std::map<JobId, std::size_t> written;
  for (const RowSeen& row : view.seen().rows)
    if (row.announces()) written[row.task] += row.written.size();
  for (const auto& [id, count] : written) {
    if (count < 2) continue;
    std::vector<OpId> ops;
    const std::string trouble = view.trouble_in_runs(id, ops);
    view.expect("OUTBOX-6", trouble.empty(), ops, [&] {
      return fmt::format("{} rows announced {}; {}.", count, view.job(id), trouble);
    });
  }
}

void is_one_row(const DispatchView& view) {
  std::map<std::tuple<std::string, JobId, std::int64_t, std::string>, const RowSeen*> by_content;
  for (const RowSeen& row : view.seen().rows) {
    if (!row.announces() && !row.routes()) continue;
    const auto [at, is_new] =
        by_content.try_emplace({row.kind, row.task, row.run, row.target}, &row);
    if (is_new && row.written.size() < 2) continue;
    view.expect("XOUT-1", at->second->id == row.id, {view.before(row.written.front().at)}, [&] {
      return fmt::format("what {} says was written twice, as {} and as {}.", row.id, at->second->id,
                         row.id);
    });
  }
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const DispatchView view{{facts, verdicts}};
  for (const Assignment& assignment : facts.assignments)
    if (assignment.worker >= 0) writes_with_the_failure(view, assignment);
  for (const HandlerRun& run : facts.runs)
    if (run.worker >= 0) writes_with_the_success(view, run);
  for (const RowSeen& row : facts.dispatch.rows) {
    is_one_commit(view, row);
    if (facts.watched) is_performed(view, row);
    does_its_own_thing(view, row);
  }
  does_no_harm(view);
  is_one_row(view);
}

constexpr std::string_view rules[] = {"OUTBOX-1", "OUTBOX-2", "OUTBOX-3", "OUTBOX-5",
                                      "OUTBOX-6", "XOUT-1",   "RETRY-10"};

}  // namespace

Property outbox() {
  return {.family = "outbox", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
