// JobFacts: what a history has shown of one job so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/history.h"

namespace assay {

enum class Phase { waiting, leased, done, dead, cancelled };

// Why a job waits.
enum class Cause { fresh, failure, expiry, requeue };

// What last changed a job, as far as accepted calls go.
enum class Change { enqueue, claim, extend, ack, retry, fail, nack, cancel, requeue, expiry };

template <class T>
struct Range {
  T lo{};
  T hi{};
  bool holds(T value) const { return lo <= value && value <= hi; }
  bool operator==(const Range&) const = default;
};

// A place in the history: the events are numbered.
using Place = std::uint64_t;

struct ClaimFact {
  OpId op = 0;
  int client = 0;
  Token token;
  std::optional<std::int64_t> attempt;
  std::optional<std::int64_t> version;
  std::string worker;
  Instant claimed_at;
  Instant first_expiry;  // as claimed
  Instant expires_at;    // as last extended
  int extensions = 0;
  Place ended = 0;         // where the claim's answer came
  bool reclaimed = false;  // from a lease that ran out
  bool guessed = false;    // its answer was lost
  bool lost = false;       // and nobody knows the token

  bool operator==(const ClaimFact&) const = default;
};

struct SettleFact {
  OpId op = 0;
  Change kind = Change::ack;
  Token token;

  bool operator==(const SettleFact&) const = default;
};

using JobIndex = std::uint32_t;

// A field that is added is packed, too: harness/judge/detail/packed_job.cpp.

// What is plain numbers and marks.
struct JobMarks {
  JobIndex index = 0;
  OpId born = 0;  // the enqueue or requeue that made it
  Place born_began = 0, born_ended = 0;
  Place touched = 0;       // where the last call that was about it ended
  Range<Instant> created;  // when

  Phase phase = Phase::waiting;
  Change changed_by = Change::enqueue;
  OpId changed_at = 0;
  Cause cause = Cause::fresh;
  bool delayed = false;  // its place in the queue's order is no longer that of its enqueue

  // Waiting: not claimable before, certainly claimable from, and the run time shown if it is known.
  Instant not_before;
  Instant surely_from;
  std::optional<Instant> run_at;

  Range<std::int64_t> counter;
  Range<std::int64_t> losses;  // leases that ran out, since the last reset

  // Dead.
  Range<Instant> died;
  bool recorded = false;  // in the dead letters

  // What happened to it since it was last looked at.
  bool seen = false;  // looked at since its enqueue
  bool paused_at_birth = false;
  bool resumed = false;  // waited while its queue was paused and resumed
  bool cancelled_waiting = false;
  bool replayed = false;        // a fresh job was made of it
  bool replay_refused = false;  // a replay was refused while it was recorded
  bool counter_reset = false;   // by its last requeue

  bool gone = false;     // seen to be removed after a terminal state
  bool spoiled = false;  // a verdict was given on it, or its state is unknown: no more is concluded

  bool operator==(const JobMarks&) const = default;
};

struct JobFacts : JobMarks {
  JobId id;
  NewJob given;                       // the payload as histories keep it
  std::vector<ClaimFact> claims;      // the last is the lease while leased
  std::optional<SettleFact> settled;  // since the last claim
  std::optional<std::string> last_error;
  std::optional<std::string> reason;  // dead: as a fail said it
  std::optional<std::string> error;   // dead
  std::vector<OpId> refused;   // since it was last looked at: calls that must have changed nothing
  std::vector<OpId> repeated;  // the same: accepted calls that must have changed nothing

  const ClaimFact& lease() const { return claims.back(); }
  ClaimFact& lease() { return claims.back(); }

  // As new, with the room that its texts had.
  void clear() {
    static_cast<JobMarks&>(*this) = {};
    claims.clear();
    settled.reset();
    last_error.reset();
    reason.reset();
    error.reset();
    refused.clear();
    repeated.clear();
  }

  bool operator==(const JobFacts&) const = default;
};

}  // namespace assay
