// Facts: what a history has shown so far, job by job, key by key, queue by queue.
//
// Read from answers alone: it predicts nothing and shares no logic with any driver. Where the
// contract leaves an answer open, a fact is a range until an answer narrows it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/judge/fetch_line.h"
#include "harness/judge/job_facts.h"
#include "harness/judge/job_store.h"
#include "harness/judge/ordered.h"
#include "harness/judge/tokens.h"

namespace assay {

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

using TimedJobs = Ordered<std::pair<Instant, JobIndex>>;

struct QueueFacts {
  std::uint32_t number = 0;  // in the order in which they were first heard of
  bool paused = false;
  OpId paused_by = 0;
  Instant paused_at;
  Place paused_since = 0;                              // where the pause ended
  bool unsure = false;                                 // nobody knows whether it is paused
  bool perhaps_claimed = false;                        // by a claim whose answer was lost
  Place claim_ended = 0;                               // the last that overlapped another call
  bool perhaps_switched = false;                       // a pause or resume was lost
  TimedJobs waiting;                                   // by surely_from
  TimedJobs leased;                                    // by expiry
  std::map<std::int64_t, Ordered<JobIndex>> in_order;  // by priority: never delayed, never claimed
  std::vector<JobIndex> members[5];                    // by phase; spoiled jobs are in none
  std::size_t done = 0;  // of those that are done, which a long history is full of, only how many
  std::size_t fresh_cancelled = 0;
  std::size_t jobs = 0;

  bool has_any(Phase phase) const {
    return phase == Phase::done ? done > 0 : !members[static_cast<std::size_t>(phase)].empty();
  }
};

struct ClientFacts {
  std::vector<Place> deaths = {};  // in their order
  bool closed = false;
  bool perhaps_closed = false;
  Walk list;
  Walk dead;
};

class Facts {
 public:
  // The profile is borrowed for life.
  explicit Facts(const Profile& profile)
      : profile_(profile), in_real_time_(profile.in_real_time()) {}
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  const Profile& profile() const { return profile_; }

  // What is found stays where it is until rest().
  const JobFacts* find(std::string_view id) const { return jobs_.job(id); }
  const JobFacts& job(JobIndex index) const { return jobs_[index]; }
  // A job whose id has this hash, or a token, will be asked for soon.
  void fetch_place(std::size_t hash) const { jobs_.fetch_place(hash); }
  std::optional<JobIndex> fetch_slot(std::size_t hash) const {
    const auto index = jobs_.fetch_slot(hash);
    if (index) fetch_line(&standing_[*index]);
    return index;
  }
  void fetch(JobIndex index) const { jobs_.fetch(index); }
  void fetch_claims(JobIndex index) const { jobs_.fetch_claims(index); }
  // The next questions are about this one, if that is its id.
  void turn_to(JobIndex index, std::string_view id) const { jobs_.turn_to(index, id); }
  void fetch_token(const Token& token) const { tokens_.fetch(token); }
  // Most questions are about the queue that was asked for last.
  const QueueFacts* queue(const std::string& name) const {
    return last_queue_ && same_text(last_queue_->first, name) ? &last_queue_->second
                                                              : find_queue(name);
  }
  const QueueFacts& queue_of(const JobFacts& job) const {
    return *numbered_[standing_[job.index].queue];
  }
  std::size_t queue_count() const { return queues_.size(); }
  // Where the last claim on the queue ended that overlapped another call; 0: nowhere. A claim alone
  // does not make a queue known.
  Place last_claim(const std::string& queue) const;
  void claim_ended(const std::string& queue, Place place);
  const ClientFacts& client(int index) const;
  // Whoever comes back under its name begins anew.
  void client_died(int index, Place place) {
    ClientFacts& client = clients_[index];
    client.deaths.push_back(place);
    client.closed = client.perhaps_closed = false;
    client.list = client.dead = Walk{};
  }
  // Where a store has no server its outage ends whoever has it open, and they come back.
  void sessions_may_be_new() {
    for (auto& [index, client] : clients_)
      if (std::exchange(client.closed, false)) client.perhaps_closed = true;
  }
  // The store was away, and came back there.
  void store_returned(Place place) { store_returned_ = place; }
  Place store_returned() const { return store_returned_; }  // last; 0: it never was away
  // Calls whose answers it took with it.
  void caught_by_store(OpId op) { caught_.insert(op); }
  bool was_caught(OpId op) const { return caught_.contains(op); }
  // Whether it was seen to die at one of these places.
  bool died_between(int index, Place from, Place to) const;

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
  const std::pair<JobIndex, OpId>* minted(const Token& token) const { return tokens_.find(token); }
  bool anything_minted() const { return !tokens_.empty(); }

  // The latest instant at which the call may have taken effect; the earliest is its own clock. They
  // differ where the store lives by a clock that runs.
  Instant latest(const CallEvent& call, const ReturnEvent& end) const {
    const bool runs = profile_.clock != ClockKnob::caller && end.now && *end.now > call.now;
    return runs ? *end.now : call.now;
  }

  // Whether the lease is over at `now`.
  bool lapsed(const JobFacts& job, Instant now) const;
  // A call showed this clock, where callers bring their own.
  void saw_clock(Instant now) {
    if (profile_.clock == ClockKnob::caller) read_clock(now);
  }
  // What is seen now may have been done by a call with another clock.
  Instant by_any_clock(Instant latest) const {
    return clocks_differ_ ? std::max(latest, latest_clock_) : latest;
  }
  bool clocks_differ() const { return clocks_differ_; }  // some call showed an earlier one
  // Clocks disagree on the time: by this one the lease is alive, by another, or by the same before
  // it was set back, it is over, and a call of then may have ended it. Nobody knows.
  bool is_disputed(const JobFacts& job, Instant now) const {
    return clocks_differ_ && now < latest_clock_ && !lapsed(job, now) && lapsed(job, latest_clock_);
  }
  bool lease_dead(Instant expires_at, Instant now) const;
  // A lapsed lease that used up what the contract allows: surely, or perhaps.
  bool surely_exhausted(const JobFacts& job) const;
  bool perhaps_exhausted(const JobFacts& job) const;
  // A job that a claim on these queues must be able to find; null if there is none.
  const JobFacts* surely_runnable(const std::vector<std::string>& queues, Instant now) const;
  bool surely_runnable(const JobFacts& job, Instant now) const;
  // From when on that may be so, if nothing else happens to it.
  std::optional<Instant> runnable_from(const JobFacts& job) const;
  // Those of the queue for which it is so, whether or not a claim that was lost has taken them.
  std::vector<JobIndex> all_runnable(const std::string& queue, Instant now) const;

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
    Duration blur{0};  // by so much a delay may only seem to differ
    bool varied = false;
    bool differs(Duration delay, Duration its_blur) const {
      return (delay < first ? first - delay : delay - first) > std::max(blur, its_blur);
    }
  };
  const Delays* delays(std::int64_t failure) const;

  // Whether some call's instant was not certain.
  bool clock_runs() const { return clock_runs_; }
  void clock_seen_running() { clock_runs_ = true; }

  void starts_at(Instant start) { start_ = start; }
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
  // Whatever nobody knows of it is known now: these facts, or those that a trial left there.
  void settle(JobIndex index, JobFacts facts);
  void settle(JobIndex index);
  void touched(JobIndex index, Place place) {
    JobFacts& job = jobs_[index];
    job.touched = place;
    if (job.phase == Phase::done) jobs_.has_ended(index);
  }
  // What a call on no job in particular may have done, whose answer was lost.
  void lose(const CallEvent& call);
  // Everybody's clock was moved, or that of the store was set back.
  void clock_moved(Instant now) {
    ++changes_, ++clock_moves_;
    if (profile_.clock != ClockKnob::caller && !in_real_time_) {
      if (clock_moves_ == 1 && start_) read_clock(*start_);
      read_clock(now);
    }
  }
  void spoil(JobIndex index);
  // Between operations: what was not looked at lately is put away.
  void rest() { jobs_.rest(); }

 private:
  friend struct Applier;

  JobFacts& mutable_job(JobIndex index) { return jobs_[index]; }
  const QueueFacts* find_queue(const std::string& name) const;
  QueueFacts& queue_named(const std::string& name);
  QueueFacts& queue_of(const JobFacts& job) { return *numbered_[standing_[job.index].queue]; }
  void unlink(const JobFacts& job);
  void link(const JobFacts& job);
  void perhaps_enqueued(const NewJob& job);
  std::string key_scope(const NewJob& job) const;

  const Profile& profile_;
  const bool in_real_time_;
  JobStore jobs_;
  struct Standing {
    std::uint32_t queue = 0;  // by number
    std::uint32_t among = 0;  // the members of its phase
  };
  static constexpr std::uint32_t nowhere = UINT32_MAX;  // among them: in no set of its queue
  std::vector<Standing> standing_;                      // by job: where
  using Queues = std::unordered_map<std::string, QueueFacts, TextHash, SameText>;
  Queues queues_;
  std::vector<QueueFacts*> numbered_;                       // of queues_
  std::unordered_map<std::string, Place> unknown_claimed_;  // queues: where the last claim ended
  mutable const Queues::value_type* last_queue_ = nullptr;  // that was asked for
  std::unordered_map<std::string, std::vector<JobIndex>> keys_;
  std::unordered_set<std::string> key_texts_;
  Tokens tokens_;
  std::unordered_map<int, ClientFacts> clients_;
  std::unordered_set<std::string> cursors_;  // that some answer gave
  std::map<std::int64_t, Delays> delays_;
  std::unordered_map<std::string, std::vector<std::pair<JobIndex, NewJob>>> asked_again_;
  void read_clock(Instant now) {
    clocks_differ_ |= now < latest_clock_;
    latest_clock_ = std::max(latest_clock_, now);
  }

  std::optional<Instant> start_;
  Place store_returned_ = 0;
  std::unordered_set<OpId> caught_;
  Instant latest_clock_ = {};
  bool clocks_differ_ = false;
  bool clock_runs_ = false;
  std::uint64_t clock_moves_ = 0;
  std::uint64_t changes_ = 0;
  std::size_t unknown_enqueues_ = 0;
  std::size_t unknown_names_ = 0;  // of them, those whose job would have got its id from the driver
  std::unordered_set<JobId> unknown_ids_;
  std::unordered_set<std::string> unknown_keys_;
  std::size_t unknown_pages_ = 0;
};

}  // namespace assay
