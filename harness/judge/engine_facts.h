// EngineFacts: what a history shows of an engine at work: its workers, what they were given, what
// their handlers did, and what they said to the store.
//
// Read from a whole history, kept until its end; of a history in which no engine works there are
// none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/judge/dispatch_facts.h"
#include "harness/judge/job_facts.h"

namespace assay {

struct EngineCall {
  OpId op = 0;
  int worker = -1;  // whose session made it; -1: of no worker
  Mark began = {};
  std::optional<Mark> ended = {};  // absent: nobody saw it end
  Request request = {};
  OutcomeKind outcome = OutcomeKind::unknown;
  Response response = {};
  Error error = {};

  bool ok() const { return outcome == OutcomeKind::ok; }
  bool refused() const { return outcome == OutcomeKind::refused; }
};

// A handler's run.
struct HandlerRun {
  int worker = -1;
  JobId job_id = {};
  std::int64_t number = 0;   // as the handler was told
  std::int64_t handler = 0;  // its worker's so-manieth; 0: it was not told
  Mark began = {};
  std::optional<Mark> told_to_stop = {};
  std::string why = {};  // then
  std::optional<Mark> ended = {};
  std::string how = {};                   // then: "ok", "failed", "threw", "unrecoverable"
  std::vector<std::string> sent = {};     // the targets of its events
  std::optional<std::size_t> under = {};  // the assignment; absent: none that is known

  bool was_told(std::string_view reason) const { return told_to_stop && why == reason; }
};

// A job that a claim gave to a worker.
struct Assignment {
  std::size_t claimed = 0;  // the call
  int worker = -1;
  Claim claim = {};
  Mark at = {};                         // the answer's
  std::vector<std::size_t> heartbeats;  // calls that speak for it
  std::vector<std::size_t> settles;
  std::optional<std::size_t> run;
  std::optional<Mark> held_back = {};  // not run, or not yet

  Instant expires_at = {};  // as last extended
};

struct EngineWorker {
  std::string name;
  std::map<std::string, std::int64_t> numbers;  // that it lives by
  std::vector<std::string> types;               // that it has handlers for
  std::vector<std::string> queues;
  std::vector<std::string> own;  // types of jobs that it makes and runs for itself
  Mark started;
  std::optional<Mark> stopping, ended, died;

  std::int64_t number(const std::string& name) const;  // 0 where there is none
  Duration length(const std::string& name) const { return Duration{number(name)}; }
  bool runs_jobs() const { return !types.empty(); }
  bool is_dispatcher() const { return number("dispatcher") > 0; }
  bool lives_at(Place place) const {
    return started.place <= place && (!died || died->place > place) &&
           (!ended || ended->place > place);
  }
  bool claims_at(Place place) const {
    return lives_at(place) && (!stopping || stopping->place > place);
  }
};

// An engine says to its owner what went wrong.
struct Surfaced {
  int worker = -1;
  JobId job_id = {};
  std::string word = {};
  Mark at = {};
};

// The store cannot be reached: by anybody, or by one worker.
struct TimeAway {
  std::optional<int> worker = {};
  Mark began = {};
  std::optional<Mark> ended = {};
};

// What was told of flows and of outputs.
struct Said {
  Mark at = {};
  EngineEvent event = {};
};

// A recurring schedule was declared, paused or resumed.
struct ScheduleChange {
  EngineEvent::Kind kind = EngineEvent::Kind::schedule_declared;
  std::string word = {};  // the schedule, or its name
  bool perhaps = false;   // nobody knows
  Mark at = {};
};

// What a caller asked for, and was told.
struct CallerStory {
  int worker = -1;
  std::int64_t number = 0;
  std::string way = {}, key = {};
  Mark asked = {};
  std::optional<Mark> answered = {};
  std::string how = {};  // then: "ok", the state that it waited for, or the code of an error
  JobId job_id = {};
  bool existed = false;
};

class EngineFacts {
 public:
  explicit EngineFacts(const Profile& profile) : profile(profile) {}

  void take(Place place, const Event& event);

  // --- what there is, in the order in which it came ---
  const Profile& profile;
  std::vector<EngineWorker> workers;
  std::vector<EngineCall> calls;
  std::vector<Assignment> assignments;
  std::vector<HandlerRun> runs;
  std::vector<Surfaced> surfaced;
  std::vector<TimeAway> outages;
  std::vector<Said> said;
  DispatchFacts dispatch;
  std::vector<ScheduleChange> schedules;
  std::vector<CallerStory> callers;
  std::optional<Mark> watched;   // every job had its time until then
  Mark last = {};                // that anything is known of
  std::optional<Instant> start;  // of the engine

  // --- of one job ---
  struct JobStory {
    std::optional<std::size_t> enqueued;  // the first call that was answered with it
    std::vector<std::size_t> assignments, runs;
    std::vector<std::size_t> changes;  // calls that settle, cancel or requeue it
    std::optional<JobState> last_seen;
    Place last_seen_at = 0;
  };
  const std::map<JobId, JobStory>& jobs() const { return jobs_; }
  const JobStory* job(const JobId& id) const;

  Duration lease_of(const Assignment& assignment) const;
  // How long the handler may run: the job's own timeout, or the worker's.
  std::optional<Duration> timeout_of(const HandlerRun& run) const;
  // Whether the store could be reached by the worker all the time between the two.
  bool was_reachable(int worker, Mark from, Mark to) const;

 private:
  void take_call(Place place, const CallEvent& event);
  void take_return(Place place, const ReturnEvent& event);
  void take_fault(Place place, const FaultEvent& event);
  void take_engine(Place place, const EngineEvent& event);
  void take_caller(int worker, Mark here, const EngineEvent& event);
  void end_outage(std::optional<int> worker, Mark here);
  void take_line_over(int before, Mark here);
  int worker_named(const std::string& name) const;
  bool is_own(int worker, const std::string& type) const;
  void assign(std::size_t call, const Claims& claims);
  void learn(std::size_t call);
  void note_hold(std::size_t call, const Hold& hold, bool settles);
  HandlerRun* open_run(int worker, const EngineEvent& event);

  std::map<JobId, JobStory> jobs_;
  std::unordered_map<OpId, std::size_t> open_;       // calls
  std::unordered_map<Token, std::size_t> by_token_;  // assignments
  std::map<int, int> worker_of_;                     // by client
  Instant now_ = {};                                 // as last told
};

// What a settle does, as far as an engine's rules go.
enum class SettleMeans { success, failure, last_failure, put_back };
std::optional<SettleMeans> meaning_of(const EngineFacts& facts, const EngineCall& settle,
                                      const Claim& claim);

}  // namespace assay
