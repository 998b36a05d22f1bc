#include "properties/detail/engine_failures.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::properties {
namespace {

bool is_failure(const EngineView& view, const HandlerRun& run) {
  if (!run.ended || !run.under || view.may_be_interrupted(run)) return false;
  if (run.told_to_stop) return run.was_told("timed_out");
  return run.how == "failed" || run.how == "threw" || run.how == "unrecoverable";
}

bool is_retry(const EngineCall& settle) { return std::holds_alternative<Retry>(settle.request); }
bool is_end(const EngineCall& settle) { return std::holds_alternative<Fail>(settle.request); }

// What a retry or a fail hands in; nothing for any other.
std::optional<std::int64_t> counter_in(const EngineCall& settle) {
  if (const auto* retry = std::get_if<Retry>(&settle.request)) return retry->attempts;
  if (const auto* fail = std::get_if<Fail>(&settle.request)) return fail->attempts;
  return std::nullopt;
}

// Where starts are counted, the claim itself was one.
std::int64_t counter_before(const EngineView& view, const Assignment& mine) {
  return mine.claim.job.attempts - (view.facts.profile.counter == Counter::starts ? 1 : 0);
}

// Where attempts or retries are counted there is no next one behind the last failure.
bool need_not_rise(const EngineView& view, const EngineCall& settle) {
  const Counter counter = view.facts.profile.counter;
  return is_end(settle) && (counter == Counter::attempt_no || counter == Counter::retries);
}

bool is_requeued(const EngineView& view, const EngineFacts::JobStory& story) {
  return std::ranges::any_of(story.changes, [&](std::size_t change) {
    return std::holds_alternative<Requeue>(view.call(change).request);
  });
}

bool is_cancelled(const EngineView& view, const EngineFacts::JobStory& story) {
  return std::ranges::any_of(story.changes, [&](std::size_t change) {
    return std::holds_alternative<Cancel>(view.call(change).request);
  });
}

// It lived, reached the store and held its lease: nothing kept it from telling.
bool could_tell(const EngineView& view, const EngineFailure& failure) {
  const HandlerRun& run = failure.run;
  if (!view.facts.watched || run.ended->place > view.facts.watched->place) return false;
  if (view.worker(run.worker).died || run.ended->now >= failure.mine.expires_at) return false;
  if (!view.facts.was_reachable(run.worker, failure.mine.at, view.facts.last)) return false;
  if (is_cancelled(view, failure.story)) return false;
  return std::ranges::none_of(failure.mine.heartbeats,
                              [&](std::size_t beat) { return !view.call(beat).ok(); });
}

std::string told(const EngineView& view, const EngineFailure& failure, std::string_view expected,
                 const EngineCall& settle) {
  return fmt::format("{} failed at {}, in run {} of {}: {}; it was settled by {}.",
                     view.run(failure.run), view.at(failure.run.ended->now), failure.number,
                     failure.allowed, expected, name_of(settle.request));
}

// RETRY-3.
void leads_to_one_thing(const EngineView& view, const EngineFailure& failure) {
  std::size_t retries = 0, ends = 0;
  for (const std::size_t index : failure.mine.settles) {
    retries += is_retry(view.call(index)) ? 1 : 0;
    ends += is_end(view.call(index)) ? 1 : 0;
  }
  const std::size_t all = failure.mine.settles.size();
  std::vector<OpId> ops{view.claimed(failure.mine)};
  for (const std::size_t index : failure.mine.settles) ops.push_back(view.call(index).op);
  if (all == 0 && !could_tell(view, failure)) return;
  if (all == 0) ops.push_back(view.before(*failure.run.ended));
  view.expect("RETRY-3", all > 0 && (retries == all || ends == all), ops, [&] {
    return fmt::format(
        "{} failed at {}, which leads to a retry or to the end, and to one of them; {} retries and "
        "{} ends were handed in, and {} other settles.",
        view.run(failure.run), view.at(failure.run.ended->now), retries, ends,
        all - retries - ends);
  });
}

// RETRY-2.
void is_counted_once(const EngineView& view, const EngineFailure& failure,
                     const EngineCall& settle) {
  const auto handed = counter_in(settle);
  if (!handed) return;
  const std::int64_t before = counter_before(view, failure.mine);
  const std::vector<OpId> ops{view.claimed(failure.mine), settle.op};
  const bool holds = *handed == before + 1 ||
                     (need_not_rise(view, settle) && *handed == failure.mine.claim.job.attempts);
  view.expect("RETRY-2", holds, ops, [&] {
    return fmt::format("{} failed once, with the counter at {}; it was handed in as {}.",
                       view.run(failure.run), before, *handed);
  });
}

// RETRY-1, by our own count. A job that is put back had no failure.
void is_as_many_as_were_recorded(const EngineView& view, const EngineFacts::JobStory& story,
                                 const Assignment& mine, bool failed) {
  if (mine.settles.empty() || is_requeued(view, story)) return;
  const EngineCall& settle = view.call(mine.settles.front());
  const auto handed = counter_in(settle);
  if (!handed) return;
  const Recorded recorded = recorded_before(view, story, mine);
  const std::int64_t more = failed ? 1 : 0;
  view.expect("RETRY-1", *handed >= recorded.least + more && *handed <= recorded.most + more,
              {view.claimed(mine), settle.op}, [&] {
                return fmt::format(
                    "{} failures of {} were recorded before, and {} now; its counter was handed in "
                    "as {}.",
                    recorded.least, view.job(mine.claim.job.id), more, *handed);
              });
}

// RETRY-4, RETRY-6, DLQ-1.
void ends_at_its_limit(const EngineView& view, const EngineFailure& failure,
                       const EngineCall& settle) {
  const std::vector<OpId> ops{view.claimed(failure.mine), settle.op};
  const bool is_last = failure.is_last();
  const auto story = [&] {
    return told(view, failure,
                is_last ? "that was its last run, so it must be dead now"
                        : "it has runs left, so it must wait for a retry",
                settle);
  };
  if (is_last || is_end(settle)) view.expect("RETRY-6", is_end(settle) == is_last, ops, story);
  if (!is_last) view.expect("RETRY-4", is_retry(settle), ops, story);
  if (is_last)
    view.expect("DLQ-1", is_end(settle) && !is_seen_alive(view, failure, settle), ops, story);
}

// RETRY-5, by our own count.
void fails_no_more_often(const EngineView& view, const EngineFailure& failure,
                         const EngineCall& settle) {
  if (is_requeued(view, failure.story)) return;
  std::int64_t most = 0;
  for (const std::size_t index : failure.story.assignments)
    if (const Assignment& one = view.facts.assignments[index]; one.worker >= 0)
      most = std::max(most, view.runs_allowed_to(one));
  const std::int64_t failures =
      recorded_before(view, failure.story, failure.mine).least + (settle.ok() ? 1 : 0);
  if (failures < most) return;
  view.expect("RETRY-5", failures <= most, {view.claimed(failure.mine), settle.op}, [&] {
    return fmt::format("{} has failed {} times by now; {} runs are allowed.",
                       view.job(failure.run.job_id), failures, most);
  });
}

// RETRY-13.
void ends_at_once(const EngineView& view, const EngineFailure& failure, const EngineCall& settle) {
  if (failure.is_last()) return;
  view.expect("RETRY-13", is_end(settle), {view.claimed(failure.mine), settle.op}, [&] {
    return told(view, failure, "the error is unrecoverable, so it must be dead now", settle);
  });
}

}  // namespace

std::vector<EngineFailure> failures_in(const EngineView& view) {
  std::vector<EngineFailure> failures;
  if (view.facts.profile.decider != Decider::engine) return failures;
  for (const HandlerRun& run : view.facts.runs) {
    const Assignment* mine = view.under(run);
    if (!mine || run.worker < 0 || !is_failure(view, run)) continue;
    EngineFailure failure{run, *mine, *view.facts.job(run.job_id)};
    const auto limit = view.facts.timeout_of(run);
    failure.is_unrecoverable = run.how == "unrecoverable" && !run.told_to_stop;
    failure.may_be_either =
        run.how == "unrecoverable" && limit && run.ended->now >= run.began.now + *limit;
    failure.number = view.run_number(mine->claim);
    failure.allowed = view.runs_allowed_to(*mine);
    failures.push_back(failure);
  }
  return failures;
}

const EngineCall* settle_of(const EngineView& view, const EngineFailure& failure) {
  return failure.mine.settles.empty() ? nullptr : &view.call(failure.mine.settles.front());
}

Recorded recorded_before(const EngineView& view, const EngineFacts::JobStory& story,
                         const Assignment& mine) {
  Recorded recorded;
  if (story.enqueued)
    recorded.least = recorded.most =
        std::get<Enqueue>(view.call(*story.enqueued).request).job.attempts.value_or(0);
  for (const std::size_t index : story.assignments) {
    const Assignment& one = view.facts.assignments[index];
    if (&one == &mine) break;
    bool surely = false, perhaps = false;
    for (const std::size_t change : one.settles) {
      const EngineCall& settle = view.call(change);
      const auto means = meaning_of(view.facts, settle, one.claim);
      if (means != SettleMeans::failure && means != SettleMeans::last_failure) continue;
      surely = surely || settle.ok();
      perhaps = perhaps || settle.outcome == OutcomeKind::unknown;
    }
    recorded.least += surely ? 1 : 0;
    recorded.most += surely || perhaps ? 1 : 0;
  }
  return recorded;
}

bool is_seen_alive(const EngineView& view, const EngineFailure& failure, const EngineCall& settle) {
  const EngineFacts::JobStory& story = failure.story;
  if (!settle.ok() || !story.last_seen || is_requeued(view, story)) return false;
  return story.last_seen_at > settle.ended->place && *story.last_seen != JobState::dead;
}

void judge_failures(const EngineView& view) {
  for (const EngineFailure& failure : failures_in(view)) {
    leads_to_one_thing(view, failure);
    const EngineCall* settle = settle_of(view, failure);
    if (!settle) continue;
    is_counted_once(view, failure, *settle);
    is_as_many_as_were_recorded(view, failure.story, failure.mine, true);
    fails_no_more_often(view, failure, *settle);
    if (failure.may_be_either) continue;
    if (failure.is_unrecoverable)
      ends_at_once(view, failure, *settle);
    else
      ends_at_its_limit(view, failure, *settle);
  }
}

}  // namespace assay::properties
