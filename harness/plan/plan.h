// Plan: what to do, as plain data. A scenario is a plan written by hand, a property run one drawn
// from a seed, a token one serialised, and shrinking makes one smaller.
//
// Steps name jobs and claims by slot, never by id: the step that makes one says into which slot it
// goes. A step whose slot is empty when its turn comes (a reserve that found nothing) is passed
// over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/contract/driver.h"
#include "harness/plan/cut.h"
#include "harness/plan/schedule.h"

namespace assay {

// A delivery: the index-th claim of the reserve that filled the slot.
struct ClaimRef {
  int slot = 0;
  int index = 0;
  bool operator==(const ClaimRef&) const = default;
};

struct JobRef {
  enum class Kind { none, made, claimed, literal };
  Kind kind = Kind::none;
  int slot = 0;              // made: by the enqueue or requeue with this slot
  ClaimRef claim = {};       // claimed: the job of that delivery
  std::string literal = {};  // an id that the plan itself names
  bool operator==(const JobRef&) const = default;
};

struct TokenRef {
  enum class Kind { claim, forged };
  Kind kind = Kind::claim;
  ClaimRef claim = {};
  std::string forged = {};
  bool operator==(const TokenRef&) const = default;
};

// An instant, relative to something that the run knows.
struct When {
  enum class Base { now, absolute, due, expiry };
  Base base = Base::now;
  JobRef job = {};      // due: the run time that this job was last given
  ClaimRef claim = {};  // expiry: of this delivery, as last extended
  Duration offset{0};   // absolute: since 1970
  bool operator==(const When&) const = default;
};

// Payloads are described, not carried: ten mebibytes fit in a token.
struct PayloadSpec {
  enum class Kind { text, pattern };
  Kind kind = Kind::text;
  std::string text = {};  // as it is
  std::uint64_t size =
      0;  // pattern: this many bytes of every value, NUL and invalid UTF-8 included
  std::uint64_t seed = 0;
  bool operator==(const PayloadSpec&) const = default;
};
std::string bytes_of(const PayloadSpec& spec);

// Something that is made to go wrong: harness/fault/fault.h.
struct FaultSpec {
  std::string name;                               // "kill_worker"
  bool everybody = false;                         // it does not befall the step's client alone
  std::map<std::string, std::int64_t> with = {};  // its numbers: "offset_ms"
  bool operator==(const FaultSpec&) const = default;
};

enum class StepKind {
  enqueue,
  reserve,
  extend,
  ack,
  retry,
  fail,
  nack,
  cancel,
  pause,
  resume,
  get,
  list,
  dead,
  requeue,
  close,
  advance,  // the clock moves to `when`, or stays if that is past
  begin_fault,
  end_fault,     // of the slot; what has not ended at the end of the plan does then
  start_worker,  // of an engine: one that was stopped or killed starts again
  stop_worker,   // in good order, which may take its time
  kill_worker,
  submit_flow,  // `what`: of an engine; by `max` clients at once
  declare_schedule,
  pause_schedule,
  resume_schedule,
  sweep_flows,  // by `max` clients at once
};

// Nobody's: the clock's, and what befalls everybody.
bool is_of_the_world(StepKind kind);
// An engine's.
bool is_of_a_worker(StepKind kind);

// Only the fields that the kind reads matter; the others keep their defaults and are not
// serialised.
struct Step {
  StepKind kind = StepKind::advance;
  int client = 0;
  int slot = -1;      // enqueue, requeue: the job made; reserve: the claims; begin_fault: the fault
  bool free = false;  // made at once with the free steps next to it
  std::optional<Cut> cut = {};  // its client is cut off in the middle of the call

  JobRef job = {};  // extend, ack, retry, fail, nack: none means the token's; cancel, get, requeue;
                    // reserve by id
  TokenRef token = {};  // extend, ack, retry, fail, nack
  std::optional<std::int64_t> attempt_offset =
      {};  // settles: added to the claim's attempt number, if it has one

  std::optional<std::string> id = {};  // enqueue
  std::vector<std::string> queues =
      {};  // enqueue, pause, resume, list, dead: one; reserve: all asked for
  std::string type = {};
  PayloadSpec payload = {};
  std::optional<When> when = {};           // enqueue, retry, requeue: run_at; advance: the instant
  std::optional<std::int64_t> limit = {};  // enqueue: max_attempts; list, dead: page size;
                                           // kill_worker: at that settle or commit from now
  std::optional<Duration> timeout = {};
  std::optional<std::string> key = {};
  std::optional<std::int64_t> priority = {};
  bool announced = false;  // enqueue: by the engine's own client, in one commit with a row

  Duration lease{30'000};  // reserve, extend
  std::int64_t max = 1;    // reserve, submit_flow, sweep_flows
  std::optional<std::int64_t> attempts =
      {};                   // enqueue, retry, fail: the counter; retry, fail without it: one more
  std::string error = {};   // retry, fail, nack
  std::string reason = {};  // fail
  bool unrecoverable = false;          // nack
  bool reset_attempts = false;         // requeue
  std::optional<JobState> state = {};  // list
  bool next_page = false;  // list, dead: from the cursor that this client's last one gave
  std::optional<std::string> cursor = {};  // list, dead: this very text instead

  std::optional<FaultSpec> fault = {};  // begin_fault
  int worker = -1;  // start_worker, stop_worker, kill_worker; begin_fault: it befalls this one;
                    // enqueue: that caller hands it in
  std::string what = {};  // submit_flow, ..._schedule: as text; enqueue by a caller: how

  bool operator==(const Step&) const = default;
};

struct ClientSpec {
  std::string name;
  Role role = Role::worker;
  bool operator==(const ClientSpec&) const = default;
};

// A worker of an engine, that runs beside the clients (harness/run/engine.h). Its jobs say what
// becomes of them: harness/plan/script.h.
struct WorkerSpec {
  // Who runs jobs, who announces them, who makes them when their time comes, who hands them in.
  enum class Kind { worker, dispatcher, scheduler, caller };

  std::string name;
  Kind kind = Kind::worker;
  std::vector<std::string> queues = {};
  int concurrency = 1;
  std::optional<Duration> lease = {};          // absent: the profile's
  std::optional<Duration> timeout = {};        // of jobs that bring none
  std::optional<std::int64_t> most_runs = {};  // whatever a job asks for
  std::optional<int> type_limit = {};          // so many of a type at once
  std::optional<Duration> rate_every = {};     // one of a type in so long
  bool group_acks = false;
  Duration grace{30'000};
  Duration interruption{5'000};
  bool hears = false;        // of jobs that are announced
  bool looks_itself = true;  // for jobs, where claims name one; else it knows what it hears
  bool outbox = false;       // has whoever is to run later announced, in the commit that says so
  std::optional<Duration> every = {};  // dispatcher: it looks for rows so often
  bool hands_events = false;  // dispatcher: to whoever stands around; else each becomes a job
  bool operator==(const WorkerSpec&) const = default;
};

// The order of `steps` is what happens: one client moves at a time. Where free steps stand next to
// each other each client makes its own in their order, and the schedule says who moves when; so are
// moves of the clock among them, which nobody else makes. Without a schedule nobody says who comes
// first: the calls with which the clients begin overlap for certain, and time stands still.
struct Plan {
  std::string name;  // "scenario/late_ack", "seed/42/17", "shrunk/..."
  std::vector<ClientSpec> clients;
  std::vector<Step> steps;
  std::optional<Schedule> schedule = {};  // of the free steps
  // Of an engine: they start before the first step and work until all jobs have ended. Then the
  // clients do not claim, `advance` lets the time pass, and the schedule, if any, says who of all
  // moves when.
  std::vector<WorkerSpec> workers = {};
  bool operator==(const Plan&) const = default;
};

std::string_view name_of(WorkerSpec::Kind kind);
std::optional<WorkerSpec::Kind> worker_kind_from(std::string_view name);

// Whether clients move at once anywhere in it.
bool is_free(const Plan& plan);
// Whether a client is cut off anywhere in it.
bool has_cuts(const Plan& plan);
bool has_faults(const Plan& plan);
// Where the free steps end that begin at `from`; `from` itself, if there are none.
std::size_t free_until(const Plan& plan, std::size_t from);

std::string_view name_of(StepKind kind);
std::optional<StepKind> step_kind_from(std::string_view name);

// Requires nothing: says what is wrong with a plan from outside (a client that is not there, a
// negative slot).
Status validate(const Plan& plan);

}  // namespace assay
