// Facts: what a history has shown so far, job by job, key by key, queue by queue.
//
// Read from answers alone: it predicts nothing and shares no logic with any driver. Where the
// contract leaves an answer open, a fact is a range until an answer narrows it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
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
};

struct SettleFact {
  OpId op = 0;
  Change kind = Change::ack;
  Token token;
};

using JobIndex = std::size_t;

struct JobFacts {
  JobId id;
  JobIndex index = 0;
  OpId born = 0;  // the enqueue or requeue that made it
  Place born_began = 0, born_ended = 0;
  Place touched = 0;  // where the last call that was about it ended
  NewJob given;       // the payload as histories keep it
  Instant created_at;

  Phase phase = Phase::waiting;
  Change changed_by = Change::enqueue;
  OpId changed_at = 0;
  Cause cause = Cause::fresh;
  bool delayed = false;  // its place in the queue's order is no longer that of its enqueue

  // Waiting: not claimable before, certainly claimable from, and the run time shown if it is known.
  Instant not_before;
  Instant surely_from;
  std::optional<Instant> run_at;

  std::vector<ClaimFact> claims;      // the last is the lease while leased
  std::optional<SettleFact> settled;  // since the last claim
  Range<std::int64_t> counter;
  Range<std::int64_t> losses;  // leases that ran out, since the last reset
  std::optional<std::string> last_error;

  // Dead.
  std::optional<std::string> reason;  // as a fail said it
  std::optional<std::string> error;
  Range<Instant> died;
  bool recorded = false;  // in the dead letters

  // What happened to it since it was last looked at.
  std::vector<OpId> refused;   // calls that must have changed nothing
  std::vector<OpId> repeated;  // accepted calls that must have changed nothing
  bool seen = false;           // looked at since its enqueue
  bool paused_at_birth = false;
  bool resumed = false;  // waited while its queue was paused and resumed
  bool cancelled_waiting = false;
  bool replayed = false;        // a fresh job was made of it
  bool replay_refused = false;  // a replay was refused while it was recorded
  bool counter_reset = false;   // by its last requeue

  bool gone = false;     // seen to be removed after a terminal state
  bool spoiled = false;  // a verdict was given on it, or its state is unknown: no more is concluded

  const ClaimFact& lease() const { return claims.back(); }
  ClaimFact& lease() { return claims.back(); }
};

// One walk through a listing's pages by one client; void once anything changed in between.
struct Walk {
  bool going = false;
  bool whole = false;  // began on the first page, nothing changed since
  std::uint64_t changes = 0;
  std::string queue;
  std::optional<JobState> state;
  std::optional<std::string> cursor;  // what the last page gave
  std::set<JobId> seen;
  std::optional<Instant> last_created;
};

// Whether a page that was asked for so goes on where the walk stood.
bool continues(const Walk& walk, const std::string& queue, std::optional<JobState> state,
               const std::optional<std::string>& cursor);

struct QueueFacts {
  bool paused = false;
  OpId paused_by = 0;
  Instant paused_at;
  Place paused_since = 0;                               // where the pause ended
  bool unsure = false;                                  // nobody knows whether it is paused
  bool perhaps_claimed = false;                         // by a claim whose answer was lost
  bool perhaps_switched = false;                        // a pause or resume was lost
  std::set<std::pair<Instant, JobIndex>> waiting;       // by surely_from
  std::set<std::pair<Instant, JobIndex>> leased;        // by expiry
  std::map<std::int64_t, std::set<JobIndex>> in_order;  // by priority: never delayed, never claimed
  std::unordered_set<JobIndex> members[5];              // by phase; spoiled jobs are in none
  std::size_t fresh_cancelled = 0;
  std::size_t jobs = 0;
};

struct ClientFacts {
  bool closed = false;
  bool perhaps_closed = false;
  Walk list;
  Walk dead;
};

class Facts {
 public:
  // The profile is borrowed for life.
  explicit Facts(const Profile& profile) : profile_(profile) {}

  const Profile& profile() const { return profile_; }

  const JobFacts* find(const JobId& id) const;
  const JobFacts& job(JobIndex index) const { return jobs_[index]; }
  const QueueFacts* queue(const std::string& name) const;
  std::size_t queue_count() const { return queues_.size(); }
  const ClientFacts& client(int index) const;

  // The jobs that ever took the key, in this key's scope, latest last.
  const std::vector<JobIndex>* holders(const NewJob& job) const;
  // What tells this key from others in its scope; empty where keys mean nothing.
  std::string key_of(const NewJob& job) const {
    return job.key && profile_.idem != Idem::none ? key_scope(job) : std::string();
  }
  // Whether some answer gave the cursor, or one that was lost may have.
  bool cursor_known(const std::string& cursor) const {
    return unknown_pages_ > 0 || cursors_.contains(cursor);
  }
  bool key_known(const std::string& key) const { return key_texts_.contains(key); }
  // Which delivery minted the token first, if any did.
  const std::pair<JobIndex, OpId>* minted(const Token& token) const;
  bool anything_minted() const { return !tokens_.empty(); }

  // Whether the lease is over at `now`.
  bool lapsed(const JobFacts& job, Instant now) const;
  bool lease_dead(Instant expires_at, Instant now) const;
  // A lapsed lease that used up what the contract allows: surely, or perhaps.
  bool surely_exhausted(const JobFacts& job) const;
  bool perhaps_exhausted(const JobFacts& job) const;
  // A job that a claim on these queues must be able to find; null if there is none.
  const JobFacts* surely_runnable(const std::vector<std::string>& queues, Instant now) const;
  bool surely_runnable(const JobFacts& job, Instant now) const;

  // The longest delay that the store may choose after the n-th failure.
  Duration backoff_window(std::int64_t failure) const;

  // The counters that a look may show: a lease that ran out may have been counted as an attempt
  // already.
  Range<std::int64_t> shown_counter(const JobFacts& job, Instant now) const;

  // Enqueues into the queue that were answered with a job that existed: which, and what they would
  // have made.
  const std::vector<std::pair<JobIndex, NewJob>>* asked_again(const std::string& queue) const;

  // What delays the store chose after n-th failures.
  struct Delays {
    std::int64_t drawn = 0;
    Duration first{0};
    bool varied = false;
  };
  const Delays* delays(std::int64_t failure) const;

  Instant start() const { return start_.value_or(Instant{}); }  // of the history
  bool clock_has_moved() const { return clock_moves_ > 0; }
  std::uint64_t changes() const { return changes_; }

  // What an enqueue or a replay that nobody knows the end of may have done: made any job at all,
  // made one of this id, taken this key.
  std::size_t unknown_enqueues() const { return unknown_enqueues_; }
  bool perhaps_made(const JobId& id) const {
    return unknown_names_ > 0 || unknown_ids_.contains(id);
  }
  bool key_perhaps_taken(const NewJob& job) const;

  // Takes an operation and its answer in, after it was judged. One that overlapped others tells
  // nothing of a queue as a whole; `began` and `ended` are its places.
  void apply(const CallEvent& call, const ReturnEvent& end, bool alone = true, Place began = 0,
             Place ended = 0);
  // The same, of one job alone: a claim of several or a page tells of each of them.
  void apply_to(const CallEvent& call, const ReturnEvent& end, JobIndex index, bool trial,
                Place ended);
  // What a page tells besides its jobs.
  void apply_page(const CallEvent& call, const ReturnEvent& end);
  // What a call whose answer was lost, or that has not ended, may have made of the job at that
  // instant; nothing where it would have changed nothing.
  std::vector<JobFacts> perhaps(const CallEvent& call, JobIndex index, Instant at);
  // Puts the facts in the job's place and gives back those that were there. A job that is put in is
  // not in its queue's sets.
  void exchange(JobIndex index, JobFacts& facts);
  // Whatever nobody knows of it is known now.
  void settle(JobIndex index, JobFacts facts);
  void touched(JobIndex index, Place place) { jobs_[index].touched = place; }
  // What a call on no job in particular may have done, whose answer was lost.
  void lose(const CallEvent& call);
  void clock_moved() { ++changes_, ++clock_moves_; }
  void spoil(JobIndex index);

 private:
  friend struct Applier;

  JobFacts& mutable_job(JobIndex index) { return jobs_[index]; }
  QueueFacts& queue_of(const JobFacts& job) { return queues_[job.given.queue]; }
  void unlink(const JobFacts& job);
  void link(const JobFacts& job);
  void perhaps_enqueued(const NewJob& job);
  std::string key_scope(const NewJob& job) const;

  const Profile& profile_;
  std::deque<JobFacts> jobs_;
  std::unordered_map<JobId, JobIndex> by_id_;
  std::unordered_map<std::string, QueueFacts> queues_;
  std::unordered_map<std::string, std::vector<JobIndex>> keys_;
  std::unordered_set<std::string> key_texts_;
  std::unordered_map<Token, std::pair<JobIndex, OpId>> tokens_;
  std::unordered_map<int, ClientFacts> clients_;
  std::unordered_set<std::string> cursors_;  // that some answer gave
  std::map<std::int64_t, Delays> delays_;
  std::unordered_map<std::string, std::vector<std::pair<JobIndex, NewJob>>> asked_again_;
  std::optional<Instant> start_;
  std::uint64_t clock_moves_ = 0;
  std::uint64_t changes_ = 0;
  std::size_t unknown_enqueues_ = 0;
  std::size_t unknown_names_ = 0;  // of them, those whose job would have got its id from the driver
  std::unordered_set<JobId> unknown_ids_;
  std::unordered_set<std::string> unknown_keys_;
  std::size_t unknown_pages_ = 0;
};

}  // namespace assay
