// Event: what a worker, a dispatcher, a scheduler or a channel does, as it does it; and who is
// told.
//
// Events of one of them come one after the other, in the order in which things happened: what is
// sent is told before it is sent, an answer after it came, a handler's beginning before its first
// step and its end after its last.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "engine/handler.h"

namespace assay::engine {

// Which claim of which job.
struct Delivery {
  JobId job_id = {};
  Token token = {};      // empty: of the job, and of no claim in particular
  std::int64_t run = 0;  // of the job, counting from 1; 0: not said

  bool operator==(const Delivery&) const = default;
};

enum class SettleKind { ack, retry, fail, nack, release, defer };
std::string_view name_of(SettleKind kind);

// Why a job that could be run is not, or not yet.
enum class Hindrance { no_capacity, rate_limited, unknown_type, worker_ends, lease_over };
std::string_view name_of(Hindrance hindrance);

// --- of one delivery ---

struct Claimed {
  std::string queue, type;
  Instant expires_at = {};  // by the worker's own clock: not later than the store's expiry
};
struct HandlerBegan {};
struct HandlerEnded {
  bool succeeded = false;
  Failure failure = {};
};
struct HeartbeatSent {};
struct HeartbeatAnswered {
  std::optional<Error> error = {};
  std::optional<Instant> expires_at = {};  // by the worker's own clock
  bool late = false;                       // the handler had ended by then
};
struct LeaseLost {
  std::string how = {};
};
struct Interrupted {
  Interruption why = Interruption::none;
};
struct NotDispatched {
  Hindrance why = Hindrance::no_capacity;
};
struct SettleSent {
  SettleKind kind = SettleKind::ack;
  int tries = 1;  // counting this one
};
struct SettleAnswered {
  SettleKind kind = SettleKind::ack;
  int tries = 1;
  std::optional<Error> error = {};
  bool in_doubt = false;  // an earlier try had no answer, and may have taken effect
};
// No settle, or no answer to it: the lease lapses.
struct LeftToLapse {
  std::string why = {};
};
// The handler had not returned when the worker ended: its lease lapses.
struct DidNotReturn {};

// --- of a job's outputs ---

struct EffectCommitted {
  std::vector<std::string> names = {};
  std::int64_t version = 0;  // of the job's outputs together
  bool with_settle = false;  // else while the handler ran
};
struct EffectRepeated {  // it was there already, and nothing was done
  std::string name = {};
};
struct EffectRefused {
  std::vector<std::string> names = {};
  Error error = {};
};

// --- of a flow; `delivery` says which run brought it about, if one did. Told when the answer came:
// others may have seen the effect by then ---

struct FlowSubmitted {
  std::string flow = {};
  std::int64_t steps = 0;
  bool existed = false;
};
struct MemberEnqueued {
  std::string flow = {}, path = {};
  JobId job_id = {};
  std::string by = {};  // the path of the member whose end brought it about; or what else did
  bool is_finalizer = false;
};
struct FlowAdvanced {
  std::string flow = {}, path = {};
  std::string outcome = {};               // of the member: succeeded, dead, cancelled, skipped
  std::string join = {};                  // what it counts for
  bool counted = false;                   // else the flow was stopped, or it had counted before
  std::optional<std::int64_t> left = {};  // of the join, where it was heard
  bool is_heard = true;                   // false: an earlier try, which had no answer, did it
};
struct FlowStopped {
  std::string flow = {}, by = {};
  bool is_cancelled = false;
};
struct FlowResumed {
  std::string flow = {};
};

// --- of the worker ---

struct Idle {};  // the slot asked, and there was nothing
struct BackingOff {
  Error error = {};
  Duration delay{0};
};
struct WokenUp {};  // by a wake-up
enum class Phase { started, draining, interrupting, ended };
struct PhaseBegan {
  Phase phase = Phase::started;
};

// A claim that named the job of the delivery, and was not given it.
struct NotClaimed {};

// --- of the outbox; the delivery's job is the task that the row is about ---

struct RowWritten {
  std::string row = {};
};
struct RowPerformed {
  std::string row = {};
  std::int64_t tries = 1;  // counting this one
};
struct RowFailed {
  std::string row = {};
  std::int64_t tries = 1;
  Error error = {};
  Instant again_at = {};
};
// It failed too often, and waits for a person.
struct RowParked {
  std::string row = {};
  std::int64_t tries = 0;
  Error error = {};
};

// --- of a wake-up; the delivery's job is the task that it names ---

struct WakeUpSent {};
struct WakeUpReceived {
  Instant hidden_until = {};  // from everybody else, as far as the receiver knows
};
struct WakeUpProlonged {
  std::optional<Error> error = {};
  Instant hidden_until = {};
};
struct WakeUpDeleted {
  std::optional<Error> error = {};
};
enum class Spoiling { dropped, doubled, delayed, reordered, undeleted };
std::string_view name_of(Spoiling how);
// On purpose, by a channel that is a fault.
struct WakeUpSpoiled {
  Spoiling how = Spoiling::dropped;
};

// --- of a dispatcher's loops ---

enum class LoopName { outbox, retry_scheduler, lease_reaper, re_announcer };
std::string_view name_of(LoopName loop);
struct TaskHandled {
  LoopName loop = LoopName::outbox;
  bool ended = false;  // the store was made to record its end; else it was announced
};

// --- of a schedule; the delivery's job is the one that was made ---

struct WindowFired {
  std::string schedule = {};
  Instant window = {};
};
// Nothing was made of these, and nothing will be.
struct WindowsSkipped {
  std::string schedule = {};
  Instant first = {}, last = {};
};

using Happening =
    std::variant<Claimed, HandlerBegan, HandlerEnded, HeartbeatSent, HeartbeatAnswered, LeaseLost,
                 Interrupted, NotDispatched, SettleSent, SettleAnswered, LeftToLapse, DidNotReturn,
                 EffectCommitted, EffectRepeated, EffectRefused, FlowSubmitted, MemberEnqueued,
                 FlowAdvanced, FlowStopped, FlowResumed, Idle, BackingOff, WokenUp, PhaseBegan,
                 NotClaimed, RowWritten, RowPerformed, RowFailed, RowParked, WakeUpSent,
                 WakeUpReceived, WakeUpProlonged, WakeUpDeleted, WakeUpSpoiled, TaskHandled,
                 WindowFired, WindowsSkipped>;

struct Event {
  Instant at = {};
  std::string worker = {};  // or whoever it is
  int slot = -1;            // -1: none in particular
  Delivery delivery = {};
  Happening what = {};
};

// "12.500 w/0 job-1#2 settle_answered ack: lease_lost", for people and for comparing.
std::string told(const Event& event);

// Told under the worker's lock: must be quick, and must not call the worker.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void see(const Event& event) = 0;
};

// How often what happened.
struct Tallies {
  std::int64_t claimed = 0, began = 0, succeeded = 0, failed = 0;
  std::int64_t settled = 0;          // settles that were taken
  std::int64_t settles_refused = 0;  // and that certainly were not
  std::int64_t settles_unknown = 0;  // tries without an answer
  std::int64_t heartbeats = 0, leases_lost = 0, left_to_lapse = 0, outages = 0;
  std::map<Interruption, std::int64_t> interrupted = {};
  std::map<Hindrance, std::int64_t> not_dispatched = {};

  void count(const Happening& what);
};

}  // namespace assay::engine
