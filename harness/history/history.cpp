#include "harness/history/history.h"

#include <algorithm>
#include <array>

namespace assay {

static constexpr std::array<std::string_view, 5> effects{"none", "client_died", "client_stalled",
                                                         "clock_wrong", "store_away"};
static constexpr std::array<std::string_view, 3> stages{"begun", "proven", "ended"};
static constexpr std::array<std::string_view, 38> engine_kinds{"begins",
                                                               "worker_started",
                                                               "worker_connected",
                                                               "worker_stopping",
                                                               "worker_ended",
                                                               "worker_died",
                                                               "line_lost",
                                                               "line_back",
                                                               "handler_began",
                                                               "handler_told_to_stop",
                                                               "event_sent",
                                                               "handler_ended",
                                                               "surfaced",
                                                               "held_back",
                                                               "wakeup_sent",
                                                               "wakeup_received",
                                                               "wakeup_prolonged",
                                                               "wakeup_deleted",
                                                               "wakeup_spoiled",
                                                               "row_written",
                                                               "row_changed",
                                                               "row_dropped",
                                                               "row_parked",
                                                               "event_routed",
                                                               "watched",
                                                               "flow_declared",
                                                               "flow_answered",
                                                               "flow_seen",
                                                               "member_seen",
                                                               "output_asked",
                                                               "output_answered",
                                                               "outputs_seen",
                                                               "output_seen",
                                                               "schedule_declared",
                                                               "schedule_paused",
                                                               "schedule_resumed",
                                                               "caller_asked",
                                                               "caller_answered"};

template <class T, std::size_t count>
static std::optional<T> named(const std::array<std::string_view, count>& names,
                              std::string_view name) {
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? std::nullopt : std::optional(static_cast<T>(at - names.begin()));
}

std::string_view name_of(FaultEffect effect) { return effects[static_cast<std::size_t>(effect)]; }
std::optional<FaultEffect> fault_effect_from(std::string_view name) {
  return named<FaultEffect>(effects, name);
}
std::string_view name_of(FaultEvent::Stage stage) {
  return stages[static_cast<std::size_t>(stage)];
}
std::optional<FaultEvent::Stage> fault_stage_from(std::string_view name) {
  return named<FaultEvent::Stage>(stages, name);
}

std::string_view name_of(EngineEvent::Kind kind) {
  return engine_kinds[static_cast<std::size_t>(kind)];
}
std::optional<EngineEvent::Kind> engine_event_from(std::string_view name) {
  return named<EngineEvent::Kind>(engine_kinds, name);
}
std::span<const std::string_view> engine_event_names() { return engine_kinds; }

Instant start_of(const History& history) {
  if (history.profile.clock == ClockKnob::caller || history.events.empty()) return run_epoch;
  if (const auto* call = std::get_if<CallEvent>(&history.events.front())) return call->now;
  if (const auto* clock = std::get_if<ClockEvent>(&history.events.front())) return clock->now;
  if (const auto* engine = std::get_if<EngineEvent>(&history.events.front())) return engine->now;
  return run_epoch;
}

}  // namespace assay
