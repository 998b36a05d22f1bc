#include "harness/history/history.h"

#include <algorithm>
#include <array>

namespace assay {

static constexpr std::array<std::string_view, 5> effects{"none", "client_died", "client_stalled",
                                                         "clock_wrong", "store_away"};
static constexpr std::array<std::string_view, 3> stages{"begun", "proven", "ended"};

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

Instant start_of(const History& history) {
  if (history.profile.clock == ClockKnob::caller || history.events.empty()) return run_epoch;
  if (const auto* call = std::get_if<CallEvent>(&history.events.front())) return call->now;
  if (const auto* clock = std::get_if<ClockEvent>(&history.events.front())) return clock->now;
  return run_epoch;
}

}  // namespace assay
