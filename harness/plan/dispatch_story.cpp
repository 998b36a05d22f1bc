#include "harness/plan/detail/dispatch_story.h"

#include <fmt/format.h>

namespace assay::detail {
namespace {

std::string of_wakeup(const EngineEvent& event, const Wording& words) {
  using Kind = EngineEvent::Kind;
  const std::string who = person(event.worker), at = words.at(event.now);
  const auto number = event.numbers.find("message");
  const std::string message =
      fmt::format("message {} about {}", number == event.numbers.end() ? 0 : number->second,
                  words.named_job(event.job_id));
  switch (event.kind) {
    case Kind::wakeup_sent:
      return fmt::format("{} sends {} at {}", who, message, at);
    case Kind::wakeup_received:
      return fmt::format("{} hears {} at {}", who, message, at);
    case Kind::wakeup_prolonged:
      return fmt::format("{} keeps {} hidden at {}", who, message, at);
    case Kind::wakeup_deleted:
      return fmt::format("{} deletes {} at {}", who, message, at);
    default:
      return fmt::format("{} is {} at {}", message, event.word, at);
  }
}

std::string of_row(const EngineEvent& event, const Wording& words) {
  using Kind = EngineEvent::Kind;
  const std::string who = person(event.worker), at = words.at(event.now);
  const std::string row = "row " + quoted(event.row);
  const auto tries = event.numbers.find("tries");
  switch (event.kind) {
    case Kind::row_written:
      return fmt::format("{} writes {} at {}: {}", who, row, at, event.word);
    case Kind::row_changed:
      return fmt::format("{} puts {} off at {}, {} tries failed", who, row, at,
                         tries == event.numbers.end() ? 0 : tries->second);
    case Kind::row_dropped:
      return fmt::format("{} drops {} at {}", who, row, at);
    default:
      return fmt::format("{} parks {} at {}", who, row, at);
  }
}

}  // namespace

std::string of_dispatch(const EngineEvent& event, const Wording& words) {
  using Kind = EngineEvent::Kind;
  switch (event.kind) {
    case Kind::wakeup_sent:
    case Kind::wakeup_received:
    case Kind::wakeup_prolonged:
    case Kind::wakeup_deleted:
    case Kind::wakeup_spoiled:
      return of_wakeup(event, words);
    case Kind::row_written:
    case Kind::row_changed:
    case Kind::row_dropped:
    case Kind::row_parked:
      return of_row(event, words);
    case Kind::event_routed:
      return fmt::format("{} {} at {}: the event of row {} for {}", person(event.worker),
                         event.numbers.contains("refused") ? "fails to route" : "routes",
                         words.at(event.now), quoted(event.row), event.word);
    default:
      return "";
  }
}

}  // namespace assay::detail
