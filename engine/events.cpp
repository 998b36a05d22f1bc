#include "engine/events.h"

#include <fmt/format.h>

#include <array>

namespace assay::engine {

std::string_view name_of(Interruption why) {
  static constexpr std::array<std::string_view, 5> names{"none", "lease_lost", "cancelled",
                                                         "timed_out", "shutdown"};
  return names[static_cast<std::size_t>(why)];
}

std::string_view name_of(SettleKind kind) {
  static constexpr std::array<std::string_view, 6> names{"ack",  "retry",   "fail",
                                                         "nack", "release", "defer"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Hindrance hindrance) {
  static constexpr std::array<std::string_view, 5> names{
      "no_capacity", "rate_limited", "unknown_type", "worker_ends", "lease_over"};
  return names[static_cast<std::size_t>(hindrance)];
}

std::string_view name_of(Spoiling how) {
  static constexpr std::array<std::string_view, 5> names{"dropped", "doubled", "delayed",
                                                         "reordered", "undeleted"};
  return names[static_cast<std::size_t>(how)];
}

std::string_view name_of(LoopName loop) {
  static constexpr std::array<std::string_view, 4> names{"outbox", "retry_scheduler",
                                                         "lease_reaper", "re_announcer"};
  return names[static_cast<std::size_t>(loop)];
}

namespace {

double seconds_of(Instant at) { return static_cast<double>((at - run_epoch).count()) / 1000; }

std::string said(const std::optional<Error>& error) {
  if (!error) return "ok";
  return fmt::format("{}: {}", name_of(error->code), error->message);
}

struct Teller {
  std::string operator()(const Claimed& e) const {
    return fmt::format("claimed {}/{}", e.queue, e.type);
  }
  std::string operator()(const HandlerBegan&) const { return "handler began"; }
  std::string operator()(const HandlerEnded& e) const {
    if (e.succeeded) return "handler succeeded";
    return fmt::format("handler failed{}: {}", e.failure.unrecoverable ? " for good" : "",
                       e.failure.error);
  }
  std::string operator()(const HeartbeatSent&) const { return "heartbeat sent"; }
  std::string operator()(const HeartbeatAnswered& e) const {
    return fmt::format("heartbeat answered{} {}", e.late ? " late" : "", said(e.error));
  }
  std::string operator()(const LeaseLost& e) const { return "lease lost: " + e.how; }
  std::string operator()(const Interrupted& e) const {
    return fmt::format("interrupted: {}", name_of(e.why));
  }
  std::string operator()(const NotDispatched& e) const {
    return fmt::format("not dispatched: {}", name_of(e.why));
  }
  std::string operator()(const SettleSent& e) const {
    return fmt::format("{} sent, try {}", name_of(e.kind), e.tries);
  }
  std::string operator()(const SettleAnswered& e) const {
    return fmt::format("{} answered{} {}", name_of(e.kind), e.in_doubt ? " after a doubt" : "",
                       said(e.error));
  }
  std::string operator()(const LeftToLapse& e) const { return "left to lapse: " + e.why; }
  std::string operator()(const DidNotReturn&) const { return "did not return"; }
  std::string operator()(const EffectCommitted& e) const {
    return fmt::format("outputs committed{}, version {}: {}", e.with_settle ? " with the ack" : "",
                       e.version, fmt::join(e.names, ", "));
  }
  std::string operator()(const EffectRepeated& e) const {
    return "output was committed before: " + e.name;
  }
  std::string operator()(const EffectRefused& e) const {
    return fmt::format("outputs refused: {}: {}", fmt::join(e.names, ", "), said(e.error));
  }
  std::string operator()(const FlowSubmitted& e) const {
    return fmt::format("flow {} submitted{}, {} steps", e.flow, e.existed ? " before" : "",
                       e.steps);
  }
  std::string operator()(const MemberEnqueued& e) const {
    return fmt::format("{} {} of flow {} enqueued as {} by {}",
                       e.is_finalizer ? "finalizer" : "member", e.path, e.flow, e.job_id, e.by);
  }
  std::string operator()(const FlowAdvanced& e) const {
    const std::string left = e.left ? fmt::format(", {} left", *e.left) : "";
    return fmt::format("flow {}: {} {}, {} for {}{}", e.flow, e.path, e.outcome,
                       e.counted    ? "counted"
                       : e.is_heard ? "not counted"
                                    : "perhaps counted",
                       e.join, left);
  }
  std::string operator()(const FlowStopped& e) const {
    return e.is_cancelled ? fmt::format("flow {} cancelled", e.flow)
                          : fmt::format("flow {} stopped by {}", e.flow, e.by);
  }
  std::string operator()(const FlowResumed& e) const {
    return fmt::format("flow {} goes on", e.flow);
  }
  std::string operator()(const Idle&) const { return "idle"; }
  std::string operator()(const BackingOff& e) const {
    return fmt::format("backing off for {} ms, {}", e.delay.count(), said(e.error));
  }
  std::string operator()(const WokenUp&) const { return "woken up"; }
  std::string operator()(const PhaseBegan& e) const {
    static constexpr std::array<std::string_view, 4> names{"started", "draining", "interrupting",
                                                           "ended"};
    return std::string(names[static_cast<std::size_t>(e.phase)]);
  }
  std::string operator()(const NotClaimed&) const { return "not claimed"; }
  std::string operator()(const RowWritten& e) const { return fmt::format("row {} written", e.row); }
  std::string operator()(const RowPerformed& e) const {
    return fmt::format("row {} performed, try {}", e.row, e.tries);
  }
  std::string operator()(const RowFailed& e) const {
    return fmt::format("row {} failed, try {}, again {:.3f}: {}", e.row, e.tries,
                       seconds_of(e.again_at), said(e.error));
  }
  std::string operator()(const RowParked& e) const {
    return fmt::format("row {} parked after {} tries: {}", e.row, e.tries, said(e.error));
  }
  std::string operator()(const WakeUpSent&) const { return "wake-up sent"; }
  std::string operator()(const WakeUpReceived& e) const {
    return fmt::format("wake-up received, hidden until {:.3f}", seconds_of(e.hidden_until));
  }
  std::string operator()(const WakeUpProlonged& e) const {
    return fmt::format("wake-up prolonged until {:.3f} {}", seconds_of(e.hidden_until),
                       said(e.error));
  }
  std::string operator()(const WakeUpDeleted& e) const {
    return fmt::format("wake-up deleted {}", said(e.error));
  }
  std::string operator()(const WakeUpSpoiled& e) const {
    return fmt::format("wake-up {}", name_of(e.how));
  }
  std::string operator()(const TaskHandled& e) const {
    return fmt::format("{} by the {}", e.ended ? "ended" : "announced", name_of(e.loop));
  }
  std::string operator()(const WindowFired& e) const {
    return fmt::format("schedule {} fired for {:.3f}", e.schedule, seconds_of(e.window));
  }
  std::string operator()(const WindowsSkipped& e) const {
    return fmt::format("schedule {} skipped {:.3f} to {:.3f}", e.schedule, seconds_of(e.first),
                       seconds_of(e.last));
  }
};

}  // namespace

std::string told(const Event& event) {
  std::string text = fmt::format("{:.3f} {}", seconds_of(event.at), event.worker);
  if (event.slot >= 0) text += fmt::format("/{}", event.slot);
  if (!event.delivery.job_id.empty())
    text +=
        fmt::format(" {}#{} {}", event.delivery.job_id, event.delivery.run, event.delivery.token);
  return text + " " + std::visit(Teller{}, event.what);
}

namespace {

struct Counter {
  Tallies& tallies;

  void operator()(const Claimed&) { ++tallies.claimed; }
  void operator()(const HandlerBegan&) { ++tallies.began; }
  void operator()(const HandlerEnded& e) { ++(e.succeeded ? tallies.succeeded : tallies.failed); }
  void operator()(const HeartbeatSent&) { ++tallies.heartbeats; }
  void operator()(const LeaseLost&) { ++tallies.leases_lost; }
  void operator()(const Interrupted& e) { ++tallies.interrupted[e.why]; }
  void operator()(const NotDispatched& e) { ++tallies.not_dispatched[e.why]; }
  void operator()(const SettleAnswered& e) {
    if (!e.error)
      ++tallies.settled;
    else
      ++(is_definite(*e.error) ? tallies.settles_refused : tallies.settles_unknown);
  }
  void operator()(const LeftToLapse&) { ++tallies.left_to_lapse; }
  void operator()(const DidNotReturn&) { ++tallies.left_to_lapse; }
  void operator()(const BackingOff&) { ++tallies.outages; }
  template <class Other>
  void operator()(const Other&) {}
};

}  // namespace

void Tallies::count(const Happening& what) { std::visit(Counter{*this}, what); }

}  // namespace assay::engine
