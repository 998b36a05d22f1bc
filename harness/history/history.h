// History: what happened, as plain data; one JSON object a line on disk (harness/history/jsonl.h).
//
// Every operation is recorded before it is made and closed after it. Payloads above a few KiB are
// recorded by size and hash, on both sides alike, so that they can still be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/contract/driver.h"

namespace assay {

using OpId = std::uint64_t;

// A call begins.
struct CallEvent {
  OpId op = 0;
  int client = 0;
  Instant now =
      {};  // the caller's clock; where the store lives by its own: not later than that one
  Request request = {};
  bool operator==(const CallEvent&) const = default;
};

// And ends: with an answer, a refusal (definite: no effect) or nobody knows how.
enum class OutcomeKind { ok, refused, unknown };
struct ReturnEvent {
  OpId op = 0;
  OutcomeKind outcome = OutcomeKind::ok;
  Response response = Done{};  // ok
  Error error = {};            // refused, unknown
  // Where the store lives by a clock of its own that runs: not earlier than that one. Without it
  // the call took effect at the instant of its beginning.
  std::optional<Instant> now = {};
  bool operator==(const ReturnEvent&) const = default;
};

// The clock moved, for everybody.
struct ClockEvent {
  Instant now = {};
  bool operator==(const ClockEvent&) const = default;
};

// What a fault does to whom it befalls, as far as a judge needs to know.
enum class FaultEffect {
  none,            // it makes calls slow, or fail
  client_died,     // and has no call under way from then on; what it held nobody holds
  client_stalled,  // for as long as it lasts
  clock_wrong,     // a client's, or the store's
  store_away,      // for as long as it lasts
};

std::string_view name_of(FaultEffect effect);  // "none", "client_died", ...
std::optional<FaultEffect> fault_effect_from(std::string_view name);

// Something was made to go wrong, was seen to, and was put right again.
struct FaultEvent {
  enum class Stage { begun, proven, ended };
  Stage stage = Stage::begun;
  std::uint64_t number = 0;  // the same in all that is said of one fault
  std::string fault = {};    // "kill_worker"
  FaultEffect effect = FaultEffect::none;
  std::optional<int> client = {};    // absent: everybody, or the store
  std::string proof = {};            // proven: what shows that it took effect, for people
  std::vector<OpId> in_flight = {};  // begun: the calls under way
  bool operator==(const FaultEvent&) const = default;
};
std::string_view name_of(FaultEvent::Stage stage);  // "begun", "proven", "ended"
std::optional<FaultEvent::Stage> fault_stage_from(std::string_view name);

using Event = std::variant<CallEvent, ReturnEvent, ClockEvent, FaultEvent>;

struct History {
  std::string driver;
  Profile profile;
  std::string plan;                  // its name
  std::vector<std::string> clients;  // names, by index
  std::vector<Event> events;
};

// What times are told relative to: the beginning of a run, or the first event of another history.
Instant start_of(const History& history);

}  // namespace assay
