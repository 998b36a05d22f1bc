#include "engine/detail/intake.h"

#include <algorithm>

namespace assay::engine::detail {

static Duration doubled(Duration shortest, Duration longest, int times) {
  RetryPolicy window;
  window.base = std::max(shortest, Duration{1});
  window.cap = std::max(longest, window.base);
  return window_of(window, times + 1);
}

std::shared_ptr<Run> Intake::next(int me) {
  Held held(*floor_.monitor);
  Slot& slot = floor_.slot(me);
  slot.waits = true;
  while (!slot.handed) {
    if (slot.is_held) {
      floor_.monitor->wait_until(std::nullopt);
    } else if (floor_.is_draining) {
      if (poller_ == me) poller_ = -1;
      break;
    } else {
      const auto when = may_ask_at(me);
      if (when && *when <= floor_.now())
        ask(held, me);
      else
        floor_.monitor->wait_until(when);
    }
  }
  slot.waits = false;
  slot.is_eager = true;  // after this job
  return std::exchange(slot.handed, nullptr);
}

// Absent: not before somebody wakes it.
std::optional<Instant> Intake::may_ask_at(int me) {
  Slot& slot = floor_.slot(me);
  const Instant now = floor_.now();
  // With no type that could run there is nothing to ask for.
  const Limits::Answer limit = floor_.limits.ask_for_any(now);
  if (limit.hindrance) return limit.again_at;
  if (slot.is_eager && troubles_ == 0) return now;
  if (poller_ < 0) poller_ = me;
  if (poller_ != me) return std::nullopt;
  // Nothing is ever put off for longer: the clock was set back.
  if (poll_at_ > later(now, longest_pause())) poll_at_ = now;
  return poll_at_;
}

Duration Intake::longest_pause() const {
  const WorkerOptions& options = floor_.options;
  return std::max(
      {options.poll_min, options.poll_max, options.outage_min, options.outage_max, Duration{1}});
}

std::vector<int> Intake::take_hold(int me) {
  std::vector<int> takers{me};
  for (int i = 0; i < static_cast<int>(floor_.slots.size()); ++i) {
    if (static_cast<std::int64_t>(takers.size()) >= floor_.profile.claim_batch) break;
    Slot& other = floor_.slot(i);
    if (i == me || !other.waits || other.is_held || other.handed) continue;
    other.is_held = true;
    takers.push_back(i);
  }
  return takers;
}

void Intake::ask(Held& held, int me) {
  floor_.slot(me).is_held = true;  // by itself: nobody else takes it
  const std::vector<int> takers = take_hold(me);
  const std::uint64_t heard = heard_;
  auto found = finder_.claim(held, floor_.slot(me).line, static_cast<int>(takers.size()));
  for (const int taker : takers) floor_.slot(taker).is_held = false;
  if (found.error)
    back_off(me, *found.error);
  else if (found.claims.empty())
    found_nothing(me, heard != heard_);
  else
    hand_out(std::move(found), me, takers);
  floor_.monitor->notify_all();
}

void Intake::hand_out(Finder::Found found, int me, const std::vector<int>& takers) {
  troubles_ = empty_polls_ = 0;
  std::size_t next = 0;
  for (Claim& claim : found.claims) {
    // A store that hands out more than it was asked for: the rest waits for its lease to end.
    if (next == takers.size()) {
      floor_.tell(me, {claim.job.id, claim.token, run_number(floor_.profile, claim)},
                  LeftToLapse{"the store handed out more than it was asked for"});
      continue;
    }
    const int taker = takers[next++];
    floor_.slot(taker).handed = floor_.admit(std::move(claim), taker, found.sent_at);
    if (poller_ == taker) poller_ = -1;
  }
  // Where fewer came than could have there is nothing more just now.
  const bool may_be_more = next == takers.size() || finder_.knows_more();
  if (may_be_more) wake_another();
}

// Others that are idle take the role of the poller, should it be free.
void Intake::found_nothing(int me, bool but_heard) {
  Slot& slot = floor_.slot(me);
  // The call may have looked before there was what the wake-up spoke of.
  if (but_heard) {
    slot.is_eager = true;
    troubles_ = 0;
    return;
  }
  const bool was_idle = !slot.is_eager;
  const bool was_away = std::exchange(troubles_, 0) > 0;
  slot.is_eager = false;
  if (poller_ == me || poller_ < 0) {
    poller_ = me;
    // The upper half of the pause, drawn.
    const Duration pause = doubled(floor_.options.poll_min, floor_.options.poll_max, empty_polls_);
    poll_at_ = later(floor_.now(), pause - drawn_up_to(pause / 2));
    empty_polls_ = std::min(empty_polls_ + 1, 62);
  }
  if (!was_idle || was_away) floor_.tell(me, {}, Idle{});
}

void Intake::back_off(int me, const Error& error) {
  Slot& slot = floor_.slot(me);
  slot.is_eager = false;
  const Duration delay =
      drawn_up_to(doubled(floor_.options.outage_min, floor_.options.outage_max, troubles_));
  // Several may have asked at once: that is one outage, not many.
  if (poller_ == me || poller_ < 0) {
    poller_ = me;
    poll_at_ = later(floor_.now(), delay);
    troubles_ = std::min(troubles_ + 1, 62);
  } else {
    troubles_ = std::max(troubles_, 1);
  }
  floor_.tell(me, {}, BackingOff{error, delay});
}

// With the poller, if it is there: it would be the next to ask anyway.
void Intake::wake_another() {
  int chosen = -1;
  for (int i = 0; i < static_cast<int>(floor_.slots.size()); ++i) {
    const Slot& slot = floor_.slot(i);
    if (!slot.waits || slot.is_held || slot.handed) continue;
    if (slot.is_eager) return;  // one is on its way
    if (chosen < 0 || i == poller_) chosen = i;
  }
  if (chosen >= 0) floor_.slot(chosen).is_eager = true;
}

void Intake::hear(const WakeUp& wakeup) {
  ++heard_;
  empty_polls_ = 0;
  finder_.hear(wakeup);
  wake_another();
  floor_.tell(-1, {}, WokenUp{});
  floor_.monitor->notify_all();
}

Duration Intake::drawn_up_to(Duration longest) {
  return Duration{static_cast<std::int64_t>(
      floor_.random.below(static_cast<std::uint64_t>(longest.count()) + 1))};
}

}  // namespace assay::engine::detail
