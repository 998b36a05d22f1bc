// History: what happened, as plain data; one JSON object a line on disk (harness/history/jsonl.h).
//
// Every operation is recorded before it is made and closed after it. Payloads above a few KiB are
// recorded by size and hash, on both sides alike, so that they can still be compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
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

// What an engine does, as told by those who stand around it: the handlers that it runs, whoever
// starts and stops its workers, and the channel on which it speaks to its owner.
struct EngineEvent {
  enum class Kind {
    begins,            // an engine works here; before all else
    worker_started,    // `numbers`: what it was told to live by
    worker_connected,  // `client` is one of its sessions
    worker_stopping,   // was asked to end
    worker_ended,      // and has
    worker_died,       // and makes no call from then on
    line_lost,         // its calls go without an answer, whether or not they take effect
    line_back,
    handler_began,
    handler_told_to_stop,  // `word`: why
    event_sent,            // by a handler that succeeds, before its end; `word`: to which target
    handler_ended,         // `word`: how
    surfaced,              // its owner is told of an error: `word`, and of which call
    held_back,             // a job that it has is not run, or not yet; `word`: why
    wakeup_sent,           // a message; `job_id`: all that it says, `message`: its number
    wakeup_received,       // and hidden from all others until `until_ms`
    wakeup_prolonged,      // until `until_ms`
    wakeup_deleted,
    wakeup_spoiled,     // on purpose; `word`: dropped, doubled, delayed, reordered, shown_again
    row_written,        // of the outbox, about `job_id` and its run; `word`: its kind, what it was
                        // committed with, and its target
    row_changed,        // by who deals with it; `tries` that failed
    row_dropped,        // `word`: what in the same commit
    row_parked,         // it is not tried any more
    event_routed,       // of the row, to `word`; `refused`: it did not get there
    watched,            // every job has ended by then, or was waited for as long as it may take
    flow_declared,      // `word`: a flow (harness/plan/flow_text.h), before it is handed in
    flow_answered,      // `word`: its id, and what was said to whoever handed it in
    flow_seen,          // in the end: `word`: its id, and its state
    member_seen,        // so: `word`: "ID/STEP", and its state
    output_asked,       // by a handler: `word`: kind, name and value
    output_answered,    // `word`: the same, and "ok" with the value that is kept, or the error
    outputs_seen,       // in the end, of one job: `word`: "ok" or the error
    output_seen,        // so: `word`: name and value, with its version
    schedule_declared,  // `word`: it (harness/plan/recurring.h), or its name; `run` 1: perhaps
    schedule_paused,
    schedule_resumed,
    caller_asked,     // order `run` of a caller: `word`: how, and with which key
    caller_answered,  // and what it was told: `job_id`, `word`
  };
  Kind kind = Kind::begins;
  Instant now = {};
  std::string worker = {};
  std::optional<int> client = {};
  JobId job_id = {};
  std::int64_t run = 0;  // of the job, as the handler is told it: 1 is the first
  std::string word = {};
  std::string row = {};  // of the outbox: its id
  std::map<std::string, std::int64_t> numbers = {};
  bool operator==(const EngineEvent&) const = default;
};
std::string_view name_of(EngineEvent::Kind kind);
std::optional<EngineEvent::Kind> engine_event_from(std::string_view name);
std::span<const std::string_view> engine_event_names();  // in the order of the kinds

using Event = std::variant<CallEvent, ReturnEvent, ClockEvent, FaultEvent, EngineEvent>;

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
