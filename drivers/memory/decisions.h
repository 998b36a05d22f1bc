// Decisions: the questions that a queue must answer, each on its own, so that a queue with one
// wrong answer can be had by overriding one of them. The store asks; it decides nothing itself.
//
// Asked under the store's lock. Every answer depends on its arguments and the profile alone.
#pragma once

#include "drivers/memory/arguments.h"
#include "drivers/memory/record.h"
#include "harness/contract/profile.h"
#include "harness/contract/random.h"

namespace assay::memory_queue {

// How a job stands after it left, or lost, its lease.
struct Outcome {
  Stage stage = Stage::waiting;
  std::optional<Instant> run_at = {};
  std::int64_t attempts = 0;
  std::int64_t lease_losses = 0;
  std::optional<std::string> last_error = {};
  std::optional<DeadView> dead = {};
};

Outcome outcome_without_change(const Record& record);

// Later by `by`, or the last instant there is.
Instant later(Instant from, Duration by);

// Where a call has looked and not yet written: a queue that does both in one step lets nobody in.
enum class Seam {
  key,      // that a key is free is known, its job is not made
  pause,    // that no queue of the claim is paused is known, no job is chosen
  claim,    // the job is chosen, its lease is not written
  counter,  // the counter of the chosen job is read, it is not written
  reclaim,  // that a lease is over is known, its job is not put back
  extend,   // the token is checked, the expiry is not moved
  settle,   // the token is checked, nothing is written
  cancel,   // that it has not ended is known
  replay,   // that it is dead is known
};

class Decisions {
 public:
  explicit Decisions(const Profile& profile) : profile_(profile) {}
  virtual ~Decisions() = default;

  const Profile& profile() const { return profile_; }

  // Whose clock counts.
  virtual Instant now(Instant callers, Instant stores) const;

  // Whether others may come in there. Absent where there is no job yet.
  virtual bool lets_others_in(Seam seam, const Record* record) const;

  // Arguments.
  virtual Objection refuses(const Enqueue& request, Instant now) const;
  virtual Objection refuses_claim(const Reserve& request) const;
  virtual Objection refuses_extension(const Extend& request) const;

  // Enqueue.
  virtual Job stored(const NewJob& given, Instant now) const;
  virtual bool id_is_taken(const Record& by) const;
  virtual bool same_content(const Record& stored, const NewJob& again) const;
  virtual void on_duplicate(Record& stored, const NewJob& again) const;
  // Equal for two jobs whose keys exclude each other.
  virtual std::string key_scope(const Job& job) const;
  virtual bool releases_key(Stage entered) const;

  // Claims.
  virtual Instant claimable_from(const Record& record) const;
  virtual bool stands_in_line(Stage stage) const;
  virtual OrderKey order_of(const Record& record) const;
  virtual std::span<const std::string> queues_of(const Reserve& request) const;
  virtual bool holds_back(bool paused) const;
  virtual bool may_reclaim(const Record& record, Instant now) const;
  virtual Outcome on_expiry(const Record& record, Instant now, Random& jitter) const;
  virtual Token token_for(const Record& record, std::uint64_t number, Random& random) const;
  virtual std::int64_t version_after_claim(const Record& record) const;
  virtual std::int64_t attempts_after_claim(const Record& record) const;
  virtual Instant expiry_of_lease(Instant now, Duration lease) const;
  virtual std::string holder(const Reserve& request) const;

  // Extensions and settles.
  virtual bool lease_is_over(const Record& record, Instant now) const;
  virtual bool accepts_late(SettleKind kind) const;
  virtual bool may_settle(const Record& record, SettleKind kind) const;
  virtual bool matches(const Record& record, const Hold& hold, SettleKind kind) const;
  virtual bool matches_for_extension(const Record& record, const Hold& hold) const;
  virtual bool is_held(const Record& record) const;
  virtual bool may_extend(const Record& record, Instant now) const;
  virtual Instant extended_expiry(const Record& record, Instant now, Duration lease) const;
  virtual bool repeats(const Record& record, const Hold& hold, SettleKind kind) const;
  virtual void on_refusal(Record& record) const;
  virtual Outcome on_ack(const Record& record, const Ack& request) const;
  virtual Outcome on_retry(const Record& record, const Retry& request, Instant now) const;
  virtual Outcome on_fail(const Record& record, const Fail& request, Instant now) const;
  virtual Outcome on_nack(const Record& record, const Nack& request, Instant now,
                          Random& jitter) const;
  virtual bool keeps_lease(Stage entered) const;

  // What the store decides about failures.
  virtual std::int64_t runs_allowed(const Record& record) const;
  virtual bool budget_is_used(const Record& record) const;
  virtual std::int64_t attempts_after_failure(const Record& record, bool dies) const;
  virtual Duration backoff_window(std::int64_t failure) const;
  virtual Duration backoff(std::int64_t failure, Random& jitter) const;

  // Operators.
  virtual bool may_cancel(const Record& record) const;
  virtual bool may_replay(const Record& record) const;
  virtual bool key_is_free_for_replay(const Record& dead, const Record* holder) const;
  virtual Outcome on_replay(const Record& record, const Requeue& request, Instant now) const;
  virtual NewJob fresh_copy(const Record& record, const Requeue& request, Instant now) const;
  virtual bool replay_takes_the_record() const;
  virtual bool replay_takes_the_key() const;
  virtual void on_refused_replay(Record& record) const;

  // Views.
  virtual JobState shown_state(const Record& record, Instant now) const;

 protected:
  bool carries_the_fence(const Record& record, const Hold& hold) const;
  // Which failure of the job the present run would be.
  std::int64_t number_of_failure(const Record& record) const;

 private:
  Profile profile_;
};

}  // namespace assay::memory_queue
