// wakeup: a message tells somebody to claim a job, and nothing more: whether it is lost, doubled,
// late or seen by many, the store and its leases decide.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "properties/detail/dispatch.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

std::set<JobId> ids_in(const EngineFacts& facts) {
  std::set<JobId> ids;
  for (const auto& [id, story] : facts.jobs()) ids.insert(id);
  for (const EngineCall& call : facts.calls)
    if (const auto* enqueue = std::get_if<Enqueue>(&call.request); enqueue && enqueue->job.id)
      ids.insert(*enqueue->job.id);
  return ids;
}

void says_the_id_alone(const DispatchView& view, const std::set<JobId>& ids) {
  for (const WakeUpSent& one : view.seen().sent)
    view.expect("WAKE-1", ids.contains(one.says), {view.before(one.at)}, [&] {
      return fmt::format("the wake-up that was published at {} says \"{}\", which is no job's id.",
                         view.at(one.at.now), one.says);
    });
}

void does_no_harm_twice(const DispatchView& view, const JobId& id) {
  const auto sent = view.seen().sent_about(id);
  const bool came_twice = sent.size() > 1 || std::ranges::any_of(sent, [](const WakeUpSent* one) {
                            return one->is_doubled || one->is_shown_again;
                          });
  if (!came_twice) return;
  std::vector<OpId> ops;
  const std::string trouble = view.trouble_in_runs(id, ops);
  view.expect("WAKE-2", trouble.empty(), ops, [&] {
    return fmt::format("{} was announced more than once; {}.", view.job(id), trouble);
  });
}

// --- messages that are gone ---

bool was_given_after(const DispatchView& view, const JobId& id, Mark after) {
  return std::ranges::any_of(view.facts.job(id)->assignments, [&](std::size_t index) {
    return view.facts.assignments[index].at.place > after.place;
  });
}

// A dispatcher had the time that it says it needs.
bool had_time(const DispatchView& view, Mark since) {
  Duration longest{0};
  for (const EngineWorker& worker : view.facts.workers)
    longest = std::max(longest, worker.length("stale_after_ms") + worker.length("stale_ms") +
                                    worker.length("outbox_ms") + worker.length("outage_ms"));
  return view.has_dispatcher_at_end() && view.facts.watched->now - since.now > longest;
}

// Nobody had it by then, or perhaps did, and nobody did anything else to it.
bool was_left_alone(const DispatchView& view, const JobId& id, Instant until) {
  const auto& story = *view.facts.job(id);
  const auto begins_by = [&](std::size_t index) { return view.call(index).began.now <= until; };
  const auto& enqueue = view.call(*story.enqueued);
  const std::string& queue = std::get<Enqueue>(enqueue.request).job.queue;
  return std::ranges::none_of(story.assignments,
                              [&](std::size_t index) {
                                return begins_by(view.facts.assignments[index].claimed);
                              }) &&
         std::ranges::none_of(story.changes, begins_by) &&
         std::ranges::none_of(view.facts.calls, [&](const EngineCall& one) {
           const auto* pause = std::get_if<Pause>(&one.request);
           const auto* reserve = std::get_if<Reserve>(&one.request);
           const bool may_take = reserve && one.outcome == OutcomeKind::unknown;
           return one.began.now <= until && (may_take || (pause && pause->queue == queue));
         });
}

// By when a dispatcher that was at work all the time should have announced a job again that stood
// ready all the time; absent: there was none, or it did.
std::optional<Instant> forgotten_until(const DispatchView& view, const WakeUpSent& lost) {
  const EngineCall& enqueue = view.call(*view.facts.job(lost.says)->enqueued);
  // Of one that was there already nobody knows when it is due.
  if (std::get<Enqueued>(enqueue.response).existed) return std::nullopt;
  const NewJob& job = std::get<Enqueue>(enqueue.request).job;
  const Instant made = enqueue.ended->now;
  const Instant from = std::max({lost.dropped->now, made, job.run_at.value_or(made)});
  // Each time it may wait for twice as long.
  const auto sent = view.seen().sent_about(lost.says);
  const auto next = std::ranges::find_if(
      sent, [&](const WakeUpSent* one) { return one->at.place > lost.dropped->place; });
  const std::int64_t doubled = std::int64_t{1} << std::min<std::int64_t>(next - sent.begin(), 10);
  for (const EngineWorker& worker : view.facts.workers) {
    if (!worker.is_dispatcher()) continue;
    const Instant until = from + worker.length("stale_after_ms") * doubled +
                          worker.length("stale_ms") + worker.length("outbox_ms");
    if (until > view.facts.watched->now || (next != sent.end() && (*next)->at.now <= until))
      continue;
    const int by = view.dispatcher(job.queue, from, until);
    if (by < 0 || &view.worker(by) != &worker) continue;
    if (was_left_alone(view, lost.says, until)) return until;
  }
  return std::nullopt;
}

void is_made_good(const DispatchView& view, const WakeUpSent& lost) {
  const auto* story = view.facts.job(lost.says);
  if (!lost.dropped || !story || !story->enqueued) return;
  const auto tell = [&](Instant until) {
    return fmt::format(
        "the wake-up for {} was lost at {}; by {} the job was not announced again, "
        "and nobody had it.",
        view.job(lost.says), view.at(lost.dropped->now), view.at(until));
  };
  if (const auto until = forgotten_until(view, lost))
    return view.expect("WAKE-3", false, {view.before(lost.at)}, [&] { return tell(*until); });
  const auto sent = view.seen().sent_about(lost.says);
  const bool is_sent_again = sent.back()->at.place > lost.dropped->place;
  const bool holds =
      is_sent_again || was_given_after(view, lost.says, *lost.dropped) || view.has_ended(lost.says);
  if (!holds && !had_time(view, *lost.dropped)) return;
  view.expect("WAKE-3", holds, {view.before(lost.at)},
              [&] { return tell(view.facts.watched->now); });
}

// --- messages and leases ---

const Assignment* held_at(const DispatchView& view, const JobId& id, Mark when) {
  const auto* story = view.facts.job(id);
  if (!story) return nullptr;
  for (const std::size_t index : story->assignments) {
    const Assignment& one = view.facts.assignments[index];
    const bool is_settled = std::ranges::any_of(one.settles, [&](std::size_t settle) {
      return view.call(settle).began.place < when.place;
    });
    if (one.worker >= 0 && one.at.place < when.place && one.expires_at > when.now && !is_settled)
      return &one;
  }
  return nullptr;
}

bool had_succeeded(const DispatchView& view, const JobId& id, Mark when) {
  return std::ranges::any_of(view.facts.job(id)->changes, [&](std::size_t change) {
    const EngineCall& ack = view.call(change);
    return std::holds_alternative<Ack>(ack.request) && ack.began.place < when.place;
  });
}

// When a message was last gone while the job was queued; absent: never.
std::optional<Mark> gone_in_vain(const DispatchView& view, const JobId& id) {
  std::optional<Mark> gone;
  const auto is_queued = [&](Mark when) {
    return !held_at(view, id, when) && !had_succeeded(view, id, when);
  };
  for (const WakeUpSent* one : view.seen().sent_about(id))
    if (one->dropped && is_queued(*one->dropped)) gone = one->dropped;
  for (const WakeUpHeard* one : view.seen().heard_about(id))
    if (one->deleted && !view.was_given(id, one->at.now, one->deleted->now) &&
        is_queued(*one->deleted))
      gone = one->deleted;
  return gone;
}

void needs_no_message(const DispatchView& view, const JobId& id) {
  const auto* story = view.facts.job(id);
  if (!story || !story->enqueued) return;
  const auto gone = gone_in_vain(view, id);
  if (!gone || view.was_cancelled(id)) return;
  const Assignment* put_down = nullptr;
  for (const std::size_t index : story->assignments) {
    const Assignment& one = view.facts.assignments[index];
    if (one.worker >= 0 && view.worker(one.worker).is_dispatcher() && !one.settles.empty())
      put_down = &one;
  }
  const bool goes_on = was_given_after(view, id, *gone) || view.has_ended(id);
  if (!put_down && !goes_on && !had_time(view, *gone)) return;
  std::vector<OpId> ops{view.call(*story->enqueued).op};
  if (put_down) ops.push_back(view.claimed(*put_down));
  view.expect("STATE-5", !put_down && goes_on, ops, [&] {
    return fmt::format(
        "the message about {} was gone at {}, which is no state of the "
        "job; {}.",
        view.job(id), view.at(gone->now),
        put_down ? "it was ended for that" : "nobody ran it any more");
  });
}

// Whoever has the message and no lease does not run it, and whoever has the lease goes on.
void rests_on_the_lease(const DispatchView& view, const WakeUpHeard& heard) {
  if (!heard.heard_again) return;
  const Mark again = *heard.heard_again;
  const Assignment* holder = held_at(view, heard.says, again);
  if (!holder) return;
  std::vector<OpId> ops;
  std::string trouble = view.trouble_in_runs(heard.says, ops);
  for (const std::size_t index : view.facts.job(heard.says)->runs)
    if (const HandlerRun& run = view.facts.runs[index];
        trouble.empty() && run.worker >= 0 && !run.under && run.began.place > again.place) {
      trouble =
          fmt::format("{} began at {} without a lease", view.run(run), view.at(run.began.now));
      ops = {view.before(run.began)};
    }
  const HandlerRun* run = view.run_of(*holder);
  const bool was_refused = std::ranges::any_of(
      holder->heartbeats, [&](std::size_t beat) { return view.call(beat).refused(); });
  if (trouble.empty() && run && !was_refused && run->was_told("lease_lost") &&
      run->told_to_stop->place > again.place && run->told_to_stop->now < holder->expires_at) {
    trouble =
        fmt::format("{} was told at {} that it had lost its lease, which was good until {}",
                    view.run(*run), view.at(run->told_to_stop->now), view.at(holder->expires_at));
    ops = {view.claimed(*holder)};
  }
  view.expect("WAKE-4", trouble.empty(), ops, [&] {
    return fmt::format("the message about {} was seen again at {} while {} had the job; {}.",
                       view.job(heard.says), view.at(again.now), view.worker(holder->worker).name,
                       trouble);
  });
}

// The delivery that its worker claimed the job for; null: none that was still hidden.
const WakeUpHeard* message_of(const DispatchView& view, const HandlerRun& run,
                              const Assignment& mine) {
  const WakeUpHeard* last = nullptr;
  const Mark asked = view.call(mine.claimed).began;
  for (const WakeUpHeard* one : view.seen().heard_about(run.job_id)) {
    const bool is_gone = (one->deleted && one->deleted->place < run.began.place) ||
                         (one->heard_again && one->heard_again->place < run.began.place);
    if (one->worker == run.worker && one->at.place < asked.place && !is_gone &&
        one->hidden_until > run.began.now)
      last = one;
  }
  return last;
}

void is_prolonged(const DispatchView& view, const HandlerRun& run) {
  const Assignment* mine = view.under(run);
  const WakeUpHeard* message = mine ? message_of(view, run, *mine) : nullptr;
  if (!message) return;
  const Mark end = view.kept_until(run);
  Instant hidden = message->hidden_until;
  if (end.now <= hidden) return;
  for (const auto& [at, until] : message->prolonged)
    if (at.now <= hidden && at.place < end.place) hidden = std::max(hidden, until);
  // Shown to somebody else before its time, or not needed any more.
  if (message->heard_again && message->heard_again->place < end.place &&
      message->heard_again->now < hidden)
    return;
  if (message->deleted && message->deleted->place < end.place) return;
  view.expect("WAKE-5", hidden >= end.now, {view.claimed(*mine), view.before(end)}, [&] {
    return fmt::format("{} went on until {}, and its message was hidden until {} only.",
                       view.run(run), view.at(end.now), view.at(hidden));
  });
}

// A message is no lease: who is given none does not run.
void refuses_without_lease(const DispatchView& view, const WakeUpHeard& heard) {
  const auto* story = view.facts.job(heard.says);
  if (!story || heard.worker < 0) return;
  const Mark until = heard.deleted.value_or(heard.heard_again.value_or(view.facts.last));
  const bool was_given = std::ranges::any_of(story->assignments, [&](std::size_t index) {
    const Assignment& one = view.facts.assignments[index];
    return one.worker == heard.worker && one.at.place > heard.at.place &&
           one.at.place < until.place;
  });
  if (was_given) return;
  for (const std::size_t index : story->runs) {
    const HandlerRun& run = view.facts.runs[index];
    if (run.worker != heard.worker || run.began.place < heard.at.place) continue;
    if (!run.under)
      view.convict("XWORK-3", {view.before(run.began)},
                   fmt::format("{} heard of {} at {} and was given no lease on it; {} began at {} "
                               "all the same.",
                               view.worker(heard.worker).name, view.job(heard.says),
                               view.at(heard.at.now), view.run(run), view.at(run.began.now)));
  }
  view.verdicts.triggered("XWORK-3");
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const DispatchView view{{facts, verdicts}};
  says_the_id_alone(view, ids_in(facts));
  for (const auto& [id, story] : facts.jobs()) {
    does_no_harm_twice(view, id);
    if (facts.watched) needs_no_message(view, id);
  }
  if (facts.watched)
    for (const WakeUpSent& one : facts.dispatch.sent) is_made_good(view, one);
  for (const WakeUpHeard& one : facts.dispatch.heard) {
    rests_on_the_lease(view, one);
    refuses_without_lease(view, one);
  }
  for (const HandlerRun& run : facts.runs)
    if (run.worker >= 0) is_prolonged(view, run);
}

constexpr std::string_view rules[] = {"WAKE-1", "WAKE-2",  "WAKE-3", "WAKE-4",
                                      "WAKE-5", "STATE-5", "XWORK-3"};

}  // namespace

Property wakeup() {
  return {.family = "wakeup", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
