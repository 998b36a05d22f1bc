// Flows: hands flows in, shows them, cancels them, and brings them up to date.
//
// All of a flow's state is in the store, beside its jobs, and it moves in commits: with the end of
// each member what follows from it. Nothing here needs to run for that. Only what the store does by
// itself (a job that dies since its leases lapsed) must be found by a sweep, which anybody may make
// at any time, any number at once.
//
// Thread-safe: calls take turns.
#pragma once

#include <memory>

#include "engine/events.h"
#include "engine/flow.h"

namespace assay::engine {

struct FlowsOptions {
  std::string name = "flows";
  std::string queue = "default";  // of steps that name none
  FlowBounds bounds = {};
  // Between tries of a call that the store did not answer, and how many there are.
  RetryPolicy tries{.base = Duration{100}, .cap = Duration{5'000}, .runs = 6};
  std::uint64_t seed = 0;        // of ids and jitter: two that share a store must not share it
  Observer* observer = nullptr;  // borrowed for life
};

struct FlowSubmission {
  Flow flow = {};
  OnFailure on_failure = OnFailure::fail_fast;
  // Absent: drawn. One that was used is never used again, since its jobs may still be there.
  std::optional<std::string> id = {};
};

struct FlowHandedIn {
  std::string id = {};
  bool existed = false;  // an earlier submission made the flow, the very same one
};

enum class FlowState {
  submitting,  // not all of it is written: nothing of it runs
  running,
  done,
  failed,  // by fail_fast, and it may go on; or by go_on, and it has ended
  cancelled,
};
std::string_view name_of(FlowState state);

enum class MemberState { waiting, enqueued, succeeded, dead, cancelled, skipped };
std::string_view name_of(MemberState state);

struct MemberCounts {
  std::int64_t waiting = 0;   // not enqueued, or will never be
  std::int64_t enqueued = 0;  // and not ended
  std::int64_t succeeded = 0, dead = 0, cancelled = 0, skipped = 0;

  std::int64_t all() const { return waiting + enqueued + succeeded + dead + cancelled + skipped; }
  bool operator==(const MemberCounts&) const = default;
};

// A step, or a chain, group or chord with what it is made of.
struct FlowNode {
  FlowKind kind = FlowKind::step;
  bool is_finalizer = false;
  std::string path = {};
  MemberCounts counts = {};
  std::vector<FlowNode> parts = {};  // a chord's finalizer is the last one
  std::size_t parts_before = 0;      // of a page: so many are not shown before the first,
  std::size_t parts_after = 0;       // and so many after the last

  // --- of a step ---
  std::string type = {};
  JobId job_id = {};
  MemberState state = MemberState::waiting;
  std::optional<JobState> job_state = {};         // of one that is enqueued, where it was looked up
  std::optional<std::int64_t> result_bytes = {};  // absent: none
  std::string error = {};
};

struct FlowView {
  std::string id = {};
  FlowState state = FlowState::running;
  OnFailure on_failure = OnFailure::fail_fast;
  Instant submitted_at = {};
  std::string stopped_by = {};  // the path of the member that failed
  FlowNode root = {};
};

// Which parts are shown of a chain, group or chord that has many.
struct FlowPaging {
  std::size_t first = 0;
  std::size_t at_most = 20;
  std::string of = {};        // the path that `first` is of; of all others the first ones are shown
  bool looks_up_jobs = true;  // a call for each enqueued member that is shown
};

struct FlowSummary {
  std::string id = {};
  OnFailure on_failure = OnFailure::fail_fast;
  std::int64_t steps = 0;
  bool is_whole = false;  // false: it is being submitted
  bool is_open = false;   // a sweep still looks at it
  Instant submitted_at = {};
};
struct FlowPage {
  std::vector<FlowSummary> flows = {};    // by their ids
  std::optional<std::string> after = {};  // ask again, behind this; absent: that was all
};

struct FlowCancelled {
  std::int64_t cancelled = 0;  // jobs, by this call
  std::int64_t running = 0;    // are left to end
  std::int64_t left = 0;       // wait, and cannot be cancelled here: they will run
};

struct Swept {
  std::int64_t flows = 0;   // that were looked at
  std::int64_t deaths = 0;  // of members that were found, and recorded
  std::int64_t closed = 0;  // flows that need no further look

  bool operator==(const Swept&) const = default;
};

class Flows {
 public:
  // Refused where the driver keeps no records. Runtime and driver are borrowed for life.
  static Result<std::unique_ptr<Flows>> make(Runtime& runtime, Driver& driver,
                                             FlowsOptions options);
  ~Flows();

  // The flow is stored and has begun when this succeeds. A large one is written by several commits;
  // until the last, nothing of it runs. An error that is not definite leaves open whether it is
  // there; the same submission with the same id may be made again, by anybody, and ends in one
  // flow. Another flow under the same id is refused as a conflict.
  Result<FlowHandedIn> submit(const FlowSubmission& submission);

  Result<FlowView> show(const std::string& id, const FlowPaging& paging = {});
  // Of a member that succeeded; nothing where its handler gave none.
  Result<std::optional<std::string>> result(const std::string& id, const std::string& path);
  Result<FlowPage> list(const std::optional<std::string>& after = {}, int limit = 100);

  // Nothing more is enqueued; members that have not started are cancelled, those that run may end.
  // One that starts at the same moment may be cancelled under its handler. For good: a cancelled
  // flow does not go on. Calling it again goes on where an earlier call was interrupted; so does a
  // sweep. A flow that has ended is left as it is.
  Result<FlowCancelled> cancel(const std::string& id);

  // Brings every open flow up to date, or that one: records deaths that the store alone knows of,
  // goes on with what was left half done. Errors are of the store.
  Result<Swept> sweep(const std::optional<std::string>& id = {});

  // Removes all records of a flow that has ended or was cancelled; a conflict where it has not.
  Status forget(const std::string& id);

 private:
  class Body;
  explicit Flows(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace assay::engine
