// Property: the judges of one family of rules, as pure functions of what was seen and what was
// known before.
#pragma once

#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "harness/judge/facts.h"
#include "harness/judge/verdicts.h"

namespace assay {

class EngineFacts;  // harness/judge/engine_facts.h

// One operation with its answer, beside the facts as they were before it.
struct Moment {
  const Profile& profile;
  const Facts& facts;
  const CallEvent& call;
  const ReturnEvent& end;
  Instant now;
  bool malformed;          // the arguments are such that every contract refuses them
  bool after_close;        // on a session that was closed before
  bool plain;              // neither, claimed by the profile, and its outcome is known
  const JobFacts* missed;  // a job that this reserve had to find and did not

  // Where calls overlap: nothing is known then of a queue as a whole at one instant.
  bool alone = true;                // it overlapped no other call
  Place began = 0;                  // in the history
  bool other_claims = false;        // a claim on one of its queues overlapped it
  bool resuming = false;            // a resume may have taken effect meanwhile
  bool key_unsure = false;          // who had its key at which moment is not known
  bool key_race = false;            // an enqueue with the same key overlapped it
  const JobFacts* rival = nullptr;  // a job that had its key all the time

  bool ok() const { return end.outcome == OutcomeKind::ok; }
  bool refused() const { return end.outcome == OutcomeKind::refused; }
  bool refused(ErrorCode code) const { return refused() && end.error.code == code; }
  OpId op() const { return call.op; }

  template <class T>
  const T* request() const {
    return std::get_if<T>(&call.request);
  }
  template <class T>
  const T* answer() const {
    return ok() ? std::get_if<T>(&end.response) : nullptr;
  }
};

// How a token stands to the job it is shown for.
enum class Standing {
  current,  // the holder's own, lease alive
  lapsed,   // the holder's own, lease over, nobody known to have taken the job since
  repeat,   // the one that settled the job, in the same way, and nobody claimed it since
  stale,    // of an earlier claim of this job, or of one that was settled
  foreign,  // of another job's claim
  forged,   // of no claim
};

// An ack, retry, fail, nack or extend of a known job.
struct HoldUse {
  const JobFacts& job;
  const Hold& hold;
  Change kind;
  Standing standing;
  bool wrong_attempt;  // the token would do, the attempt number does not
};

// A known job, handed out.
struct Delivery {
  const JobFacts& job;
  const Claim& claim;
  const Reserve& request;
};

// A known job, seen through get (lease and obituary known) or a listing.
struct Sighting {
  const JobFacts& job;
  const Job& shown;
  const JobView* whole;  // null in listings
  unsigned states;       // bit a JobState: those the facts allow

  bool allowed(JobState state) const { return states >> static_cast<unsigned>(state) & 1U; }
  bool as_expected() const { return allowed(shown.state); }
};

// A set of calls: a bit for each kind of request.
template <class Call, class... Kinds>
constexpr unsigned bit_among(const std::variant<Kinds...>*) {
  unsigned bits = 0, bit = 1;
  ((bits |= std::is_same_v<Call, Kinds> ? bit : 0U, bit <<= 1), ...);
  return bits;
}
template <class... Calls>
inline constexpr unsigned calls_of = (bit_among<Calls>(static_cast<Request*>(nullptr)) | ...);
// A reserve that missed a job; calls_of<Reserve> are all reserves.
inline constexpr unsigned missed_reserve = 1U << std::variant_size_v<Request>;
inline constexpr unsigned every_call = ~0U;
inline constexpr unsigned no_call = 0;

struct Property {
  std::string_view family;
  std::span<const std::string_view> rules;  // every id that it judges

  // Any of these may be null. The last three see plain operations on jobs that are not spoiled.
  void (*operation)(const Moment&, Verdicts&) = nullptr;
  void (*hold)(const Moment&, const HoldUse&, Verdicts&) = nullptr;
  void (*delivery)(const Moment&, const Delivery&, Verdicts&) = nullptr;
  void (*sighting)(const Moment&, const Sighting&, Verdicts&) = nullptr;

  // What they are of use for: they are not shown anything else.
  unsigned calls = every_call;  // for `operation`, where the operation is plain
  unsigned odd_calls = 0;       // where it is not
  bool (*holds)(Change kind, Standing standing) = nullptr;  // for `hold`; null: for all
  bool first_runs = true;  // for `delivery`: jobs that nothing happened to since their enqueue

  // Once, at the end of a history in which an engine worked.
  void (*engine)(const EngineFacts&, Verdicts&) = nullptr;
};

}  // namespace assay
