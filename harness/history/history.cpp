#include "harness/history/history.h"

namespace assay {

Instant start_of(const History& history) {
  if (history.profile.clock == ClockKnob::caller || history.events.empty()) return run_epoch;
  if (const auto* call = std::get_if<CallEvent>(&history.events.front())) return call->now;
  if (const auto* clock = std::get_if<ClockEvent>(&history.events.front())) return clock->now;
  return run_epoch;
}

}  // namespace assay
