// Event: what a worker does, as it does it; and who is told.
//
// Events of one worker come one after the other, in the order in which things happened: what is
// sent is told before it is sent, an answer after it came, a handler's beginning before its first
// step and its end after its last.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "engine/handler.h"

namespace assay::engine {

// Which claim of which job.
struct Delivery {
  JobId job_id = {};
  Token token = {};
  std::int64_t run = 0;  // of the job, counting from 1

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

using Happening =
    std::variant<Claimed, HandlerBegan, HandlerEnded, HeartbeatSent, HeartbeatAnswered, LeaseLost,
                 Interrupted, NotDispatched, SettleSent, SettleAnswered, LeftToLapse, DidNotReturn,
                 Idle, BackingOff, WokenUp, PhaseBegan>;

struct Event {
  Instant at = {};
  std::string worker = {};
  int slot = -1;  // -1: none in particular
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
