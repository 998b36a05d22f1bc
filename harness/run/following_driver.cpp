#include "harness/run/following_driver.h"

#include <fmt/format.h>

namespace assay {

FollowingDriver::FollowingDriver(Driver& inner, const Clock& clock, Gates& gates)
    : inner_(inner), clock_(clock), gates_(gates), intercepted_(inner, between()) {}

Status FollowingDriver::setup(const Setup& setup) {
  if (Status ready = inner_.setup(setup); !ready.ok()) return ready;
  if (profile().clock == ClockKnob::caller) return Done{};
  const auto shown = inner_.now();
  if (!shown.ok()) return shown.error();
  shown_ = *shown;
  return Done{};
}

Result<std::unique_ptr<Session>> FollowingDriver::open(const SessionSpec& spec) {
  SessionSpec named = spec;
  if (const int before = sessions_[spec.name]++; before > 0)
    named.name = fmt::format("{} ({})", spec.name, before + 1);
  return intercepted_.open(named);
}

// A caller's clock comes with its call.
Status FollowingDriver::catch_up() {
  const Instant now = clock_.now();
  if (profile().clock == ClockKnob::caller || now == shown_) return Done{};
  const auto moved = inner_.advance(now - shown_);
  if (moved.ok()) shown_ = *moved;
  if (moved.ok() && *moved == now) return Done{};
  if (!trouble_)
    trouble_ = moved.ok() ? Error{ErrorCode::internal,
                                  fmt::format("its clock was to move to {} ms and shows {} ms",
                                              to_ms(now), to_ms(*moved))}
                          : moved.error();
  return Error{ErrorCode::unavailable, "its clock does not move", LeaseReason::unstated, true};
}

// Whatever is made to go wrong is made to between it and its clients.
void FollowingDriver::note(const Error& error) {
  const bool failed = error.code == ErrorCode::unavailable || error.code == ErrorCode::internal;
  if (failed && !trouble_) trouble_ = error;
}

Interception FollowingDriver::between() {
  Interception by;
  by.call = [this](const SessionSpec&, Instant now, const Request& request,
                   const Interception::Next& next) -> Result<Response> {
    gates_.pass("call");
    if (const Status moved = catch_up(); !moved.ok()) return moved.error();
    auto answer = next(now, request);
    if (!answer.ok()) note(answer.error());
    gates_.pass("answer");
    return answer;
  };
  by.records = [this](const SessionSpec&) -> Status {
    gates_.pass("records");
    return catch_up();
  };
  return by;
}

}  // namespace assay
