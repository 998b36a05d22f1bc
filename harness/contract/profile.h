// Profile: what a driver claims. Knobs choose between the contracts' answers, capabilities say
// which families of calls exist, numbers say how long and how many. docs/contract.md tells what
// each value promises.
//
// A value that only weakens a promise permits: a driver that does better passes too.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/result.h"
#include "harness/contract/time.h"

namespace assay {

enum class ClaimStyle { next, by_id };
enum class Order { none, best_effort, fifo };
enum class Idem { none, return_existing, reject_active };
enum class IdemScope { queue, type, global };
enum class DupId { reject, undefined };
enum class LimitUnit { attempts, retries };  // a limit of N: N runs, or N + 1
enum class Counter { failures, attempt_no, starts, retries };
enum class ExpiryCounts { no, yes };
enum class ExpiryTo { ready_now, backoff };
enum class LateSettle { reject, accept_unreclaimed, unfenced };
enum class Fence { token, token_attempt, token_version, none };
enum class Resettle { ok, stale_error };
enum class Decider { engine, store };
enum class RetryView { scheduled, ready_hidden, failed_waiting };
enum class DeadViewKnob { dlq_state, failed_state, failed_plus_record };
enum class Replay { same_job, fresh_job, none };
enum class ClockKnob { caller, store, mixed };
enum class Durability { none, restart, crash };
enum class LeaseEdge { dead_at_equal, alive_at_equal };

struct Backoff {
  Duration base{500};
  Duration cap{30'000};
  bool operator==(const Backoff&) const = default;
};

struct Profile {
  std::string name = "reference";  // the built-in profile that it is, or starts from

  ClaimStyle claim_style = ClaimStyle::next;
  std::int64_t claim_batch = 1;  // the most that one reserve may ask for
  Order order = Order::fifo;
  Idem idem = Idem::return_existing;
  IdemScope idem_scope = IdemScope::queue;
  DupId dup_id = DupId::reject;
  LimitUnit limit_unit = LimitUnit::attempts;
  Counter counter = Counter::failures;
  ExpiryCounts expiry_counts = ExpiryCounts::yes;
  ExpiryTo expiry_to = ExpiryTo::ready_now;
  LateSettle late_settle = LateSettle::reject;
  Fence fence = Fence::token_version;
  Resettle resettle = Resettle::ok;
  Resettle resettle_foreign = Resettle::stale_error;
  Decider decider = Decider::engine;
  RetryView retry_view = RetryView::scheduled;
  DeadViewKnob dead_view = DeadViewKnob::dlq_state;
  Replay replay = Replay::same_job;
  ClockKnob clock = ClockKnob::caller;
  Durability durability = Durability::none;
  LeaseEdge lease_edge = LeaseEdge::dead_at_equal;

  // Names of capability_names(). A missing one makes its rules not applicable, never passed.
  std::set<std::string, std::less<>> capabilities;

  Duration lease_ttl{30'000};
  Backoff backoff;
  std::int64_t default_limit = 3;  // for jobs that bring none
  Duration time_resolution{1};
  Duration visibility_lag_max{0};          // an enqueued job is found at the latest after this
  Duration reclaim_lag_max{0};             // an expired one, too
  std::optional<Duration> done_retention;  // how long a done job is kept; absent: not said

  bool has(std::string_view capability) const { return capabilities.contains(capability); }
  // Leases are judged by a clock that nobody can move: to see them end is to wait.
  bool in_real_time() const { return clock != ClockKnob::caller && !has("virtual_time"); }
  bool operator==(const Profile&) const = default;
};

// The runs that a limit allows, counting the first; `limit` absent or 0 means the profile's
// default.
std::int64_t runs_allowed(const Profile& profile, std::optional<std::int64_t> limit);

// One knob: its name, its values with what each promises, and the way into a Profile.
struct KnobValue {
  std::string_view name;
  std::string_view promise;  // one sentence, for people
};
struct Knob {
  std::string_view name;
  std::string_view question;  // what it decides
  std::span<const KnobValue> values;
  int (*get)(const Profile&);
  void (*set)(Profile&, int);
};
std::span<const Knob> knobs();  // all but claim_batch, which is a number

struct Capability {
  std::string_view name;
  std::string_view meaning;
};
std::span<const Capability> capabilities();

// The built-in ones, in the order people read them: reference, taskharbor, trace, upnext, weave.
std::span<const std::string_view> profile_names();
std::optional<Profile> built_in_profile(std::string_view name);

// Whether it is the built-in profile of its name. Durability is the driver's own affair, and not
// compared.
bool is_built_in(const Profile& profile);

// Its name, where it is that built-in profile; else what was altered: "reference, altered: order,
// fence".
std::string title(const Profile& profile);

// What the profile promises, in words: one paragraph a line.
std::vector<std::string> describe(const Profile& profile);

}  // namespace assay
