// reaper: leases that ran out, and retries whose time has come, are found and dealt with.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/dispatch.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

// What a dispatcher did about a lease that ran out, in the time that it has for that.
struct Dealt {
  int by = -1;
  Instant until = {};
  bool holds = false;
  bool was_anticipated = false;  // perhaps: there was nothing left to be found
};

// A claim makes the store find out that a lease is over. It may end the job then, or put it off,
// and whoever claimed is told of neither.
bool perhaps_found_by_claim(const DispatchView& view, const Job& job, Instant from, Instant to) {
  return std::ranges::any_of(view.facts.calls, [&](const EngineCall& one) {
    const auto* reserve = std::get_if<Reserve>(&one.request);
    return reserve && !one.refused() && !reserve->job_id && one.began.now <= to &&
           (!one.ended || one.ended->now >= from) &&
           std::ranges::find(reserve->queues, job.queue) != reserve->queues.end();
  });
}

std::optional<Dealt> dealt_with(const DispatchView& view, const Assignment& lost) {
  if (lost.worker < 0 || !view.ran_out(lost)) return std::nullopt;
  const Job& job = lost.claim.job;
  for (const EngineWorker& worker : view.facts.workers) {
    if (!worker.is_dispatcher()) continue;
    Dealt dealt;
    dealt.until = lost.expires_at + worker.length("reaper_ms") + worker.length("outbox_ms");
    dealt.by = view.dispatcher(job.queue, lost.expires_at, dealt.until);
    if (dealt.by < 0 || &view.worker(dealt.by) != &worker) continue;
    if (dealt.until > view.facts.watched->now) continue;
    if (view.perhaps_taken(job, lost.at.now, dealt.until)) continue;
    dealt.holds = view.was_sent(job.id, lost.expires_at, dealt.until) ||
                  view.was_given(job.id, lost.expires_at, dealt.until) ||
                  view.was_asked_for(job.id, lost.expires_at, dealt.until);
    dealt.was_anticipated = perhaps_found_by_claim(view, job, lost.expires_at, dealt.until);
    return dealt;
  }
  return std::nullopt;
}

void finds_lost_leases(const DispatchView& view, const Assignment& lost, const Dealt& dealt) {
  if (!dealt.holds && dealt.was_anticipated) return;
  view.expect("REAP-1", dealt.holds, {view.claimed(lost)}, [&] {
    return fmt::format("the lease of {} on {} ran out at {}, and nobody had dealt with it by {}.",
                       view.worker(lost.worker).name, view.job(lost.claim.job.id),
                       view.at(lost.expires_at), view.at(dealt.until));
  });
  const auto& died = view.worker(lost.worker).died;
  if (!died || died->place < lost.at.place || died->now > lost.expires_at) return;
  view.expect("WAKE-6", dealt.holds, {view.claimed(lost)}, [&] {
    return fmt::format(
        "{} died at {} with {}; its lease ran out at {}, and no wake-up for the job "
        "was published by {}.",
        view.worker(lost.worker).name, view.at(died->now), view.job(lost.claim.job.id),
        view.at(lost.expires_at), view.at(dealt.until));
  });
}

const Assignment* next_of(const DispatchView& view, const Assignment& one) {
  for (const std::size_t index : view.facts.job(one.claim.job.id)->assignments)
    if (const Assignment& next = view.facts.assignments[index]; next.at.place > one.at.place)
      return &next;
  return nullptr;
}

void obeys_the_budget(const DispatchView& view, const Assignment& lost) {
  const Job& job = lost.claim.job;
  const auto own = job.max_attempts.value_or(0) > 0 ? job.max_attempts : std::nullopt;
  const std::int64_t number = view.run_number(lost.claim);
  const std::int64_t allowed = runs_allowed(view.facts.profile, own);
  const Assignment* next = next_of(view, lost);
  const auto* story = view.facts.job(job.id);
  if (view.perhaps_taken(job, lost.at.now, view.facts.watched->now) || !story->last_seen) return;
  const auto told = [&](std::string_view what) {
    return fmt::format("the lease on {} ran out at {} in run {} of {}; {}.", view.job(job.id),
                       view.at(lost.expires_at), number, allowed, what);
  };
  if (number >= allowed) {
    if (next) return;
    view.expect("REAP-2", is_terminal(*story->last_seen), {view.claimed(lost)},
                [&] { return told("that was its last one, and it has not ended"); });
    return;
  }
  const bool is_put_down = next && next->worker >= 0 && !next->settles.empty() &&
                           view.worker(next->worker).is_dispatcher();
  const bool is_dead = !next && story->last_seen == JobState::dead;
  view.expect("REAP-2", !is_put_down && !is_dead, {view.claimed(next ? *next : lost)},
              [&] { return told("it has runs left, and was not tried again"); });
}

void finds_due_retries(const DispatchView& view, const Assignment& failed) {
  const auto retry = retry_after(view, failed);
  if (!retry || view.was_cancelled(failed.claim.job.id)) return;
  const Job& job = failed.claim.job;
  for (const EngineWorker& worker : view.facts.workers) {
    if (!worker.is_dispatcher()) continue;
    const Instant from = std::max(retry->due, retry->settle->ended->now);
    const Instant until = from + worker.length("retries_ms") + worker.length("outbox_ms");
    const int by = view.dispatcher(job.queue, from, until);
    if (by < 0 || &view.worker(by) != &worker || until > view.facts.watched->now) continue;
    if (view.perhaps_taken(job, retry->first.now, until)) continue;
    // By places: what it was before may have been at the same instant.
    const Assignment* next = next_of(view, failed);
    // Since the first try, which may be the one that was taken.
    const Instant first = std::max(retry->due, retry->first.now);
    const bool holds = view.was_sent(job.id, first, until) || (next && next->at.now <= until);
    view.expect("REAP-3", holds, {view.claimed(failed), retry->settle->op}, [&] {
      return fmt::format(
          "{} failed, and was to be tried again at {}; {} had it announced to nobody "
          "by {}.",
          view.job(job.id), view.at(retry->due), worker.name, view.at(until));
    });
    return;
  }
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const DispatchView view{{facts, verdicts}};
  if (!facts.watched) return;
  for (const Assignment& assignment : facts.assignments) {
    if (assignment.worker < 0) continue;
    if (const auto dealt = dealt_with(view, assignment)) {
      finds_lost_leases(view, assignment, *dealt);
      obeys_the_budget(view, assignment);
    }
    finds_due_retries(view, assignment);
  }
}

constexpr std::string_view rules[] = {"REAP-1", "REAP-2", "REAP-3", "WAKE-6"};

}  // namespace

Property reaper() {
  return {.family = "reaper", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
