#include "engine/detail/keeper.h"

#include <algorithm>

namespace assay::engine::detail {
namespace {

// A clock that was set back must not keep a heartbeat waiting for as long again.
bool is_due(const Run& run, Instant now) { return now >= run.next_beat || now < run.last_beat; }

std::shared_ptr<Run> next_to_keep(const Floor& floor, Instant now) {
  std::shared_ptr<Run> next;
  for (const auto& run : floor.runs) {
    if (!run->is_kept()) continue;
    if (is_due(*run, now)) return run;
    if (!next || run->next_beat < next->next_beat) next = run;
  }
  return next;
}

// What a refusal means. A job that somebody cancelled has lost its lease like any other; where the
// store shows jobs, it tells the two apart.
Interruption why_refused(const Floor& floor, Line& line, const Run& run) {
  if (!floor.profile.has("inspect")) return Interruption::lease_lost;
  const auto seen = line.call([&](Session& s) { return s.get(floor.now(), {run.claim.job.id}); });
  const bool is_cancelled = seen.ok() && seen->job.state == JobState::cancelled;
  return is_cancelled ? Interruption::cancelled : Interruption::lease_lost;
}

void keep(Floor& floor, Held& held, Line& line, const std::shared_ptr<Run>& run) {
  const Instant sent_at = floor.now();
  run->last_beat = sent_at;
  floor.tell(*run, HeartbeatSent{});
  held.unlock();
  const auto answer = line.call([&](Session& s) {
    return s.extend(sent_at, {hold_of(run->claim), floor.lease});
  });
  const bool is_refused = !answer.ok() && !is_trouble(answer.error());
  const Interruption why = is_refused ? why_refused(floor, line, *run) : Interruption::none;
  std::vector<std::stop_source> to_stop;
  held.lock();
  const bool is_late = run->stage == Stage::settling;
  if (answer.ok()) {
    run->expires_at = later(sent_at, floor.lease);
    run->next_beat = later(sent_at, floor.lease / 3);
    floor.tell(*run, HeartbeatAnswered{std::nullopt, run->expires_at, is_late});
  } else {
    // Where there was no answer there may be one before the lease is over, which the watch tells.
    run->next_beat = later(floor.now(), std::max(floor.lease / 20, Duration{1}));
    floor.tell(*run, HeartbeatAnswered{answer.error(), std::nullopt, is_late});
    if (is_refused) floor.lose(*run, answer.error().message, why, to_stop);
  }
  if (to_stop.empty()) return;
  held.unlock();
  request(to_stop);
  held.lock();
}

}  // namespace

void keep_leases(Floor& floor) {
  Line line(floor.driver, floor.options.name + "/keeper");
  Held held(*floor.monitor);
  while (!floor.has_ended) {
    const auto next = next_to_keep(floor, floor.now());
    if (!next)
      floor.monitor->wait_until(std::nullopt);
    else if (is_due(*next, floor.now()))
      keep(floor, held, line, next);
    else
      floor.monitor->wait_until(next->next_beat);
  }
  held.unlock();
  line.hang_up();
}

}  // namespace assay::engine::detail
