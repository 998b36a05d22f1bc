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

namespace {

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
};

}  // namespace

std::string told(const Event& event) {
  const double seconds = static_cast<double>((event.at - run_epoch).count()) / 1000;
  std::string text = fmt::format("{:.3f} {}", seconds, event.worker);
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
