#include "harness/contract/profile.h"

#include <algorithm>
#include <array>

namespace assay {

using namespace std::chrono_literals;

// The members' defaults are the reference's knobs; here stands what they leave open.
static Profile reference() {
  Profile profile;
  profile.claim_batch = 10;
  profile.capabilities = {"schedule_at_enqueue",
                          "priority",
                          "cancel",
                          "pause",
                          "inspect",
                          "list_paged",
                          "dlq_ops",
                          "worker_id",
                          "lease_version",
                          "queue_set_claim",
                          "timeouts",
                          "virtual_time"};
  return profile;
}

static Profile taskharbor() {
  Profile profile;
  profile.name = "taskharbor";
  profile.order = Order::best_effort;
  profile.dup_id = DupId::undefined;
  profile.expiry_counts = ExpiryCounts::no;
  profile.fence = Fence::token;
  profile.resettle_foreign = Resettle::ok;
  profile.capabilities = {"schedule_at_enqueue", "inspect",  "list_paged",  "dlq_ops",
                          "queue_set_claim",     "timeouts", "virtual_time"};
  profile.backoff = {200ms, 5s};
  profile.default_limit = 25;
  return profile;
}

static Profile trace() {
  Profile profile;
  profile.name = "trace";
  profile.claim_style = ClaimStyle::by_id;
  profile.order = Order::none;
  profile.idem = Idem::none;
  profile.idem_scope = IdemScope::type;
  profile.dup_id = DupId::undefined;
  profile.counter = Counter::attempt_no;
  profile.expiry_to = ExpiryTo::backoff;
  profile.late_settle = LateSettle::accept_unreclaimed;
  profile.fence = Fence::token_attempt;
  profile.resettle = Resettle::stale_error;
  profile.decider = Decider::store;
  profile.retry_view = RetryView::failed_waiting;
  profile.dead_view = DeadViewKnob::failed_state;
  profile.replay = Replay::none;
  profile.clock = ClockKnob::mixed;
  profile.durability = Durability::crash;
  profile.capabilities = {"cancel",    "inspect",  "list_paged",
                          "worker_id", "timeouts", "virtual_time"};
  profile.lease_ttl = 120s;
  profile.backoff = {30s, 10min};
  return profile;
}

static Profile upnext() {
  Profile profile;
  profile.name = "upnext";
  profile.claim_batch = 10;
  profile.order = Order::none;
  profile.idem = Idem::reject_active;
  profile.idem_scope = IdemScope::type;
  profile.dup_id = DupId::undefined;
  profile.limit_unit = LimitUnit::retries;
  profile.counter = Counter::starts;
  profile.expiry_counts = ExpiryCounts::no;
  profile.late_settle = LateSettle::accept_unreclaimed;
  profile.fence = Fence::token;
  profile.resettle_foreign = Resettle::ok;
  profile.dead_view = DeadViewKnob::failed_plus_record;
  profile.replay = Replay::fresh_job;
  profile.clock = ClockKnob::mixed;
  profile.durability = Durability::restart;
  profile.capabilities = {"schedule_at_enqueue", "cancel",  "pause",           "inspect",
                          "list_paged",          "dlq_ops", "queue_set_claim", "timeouts",
                          "virtual_time"};
  profile.backoff = {1s, 1h};
  profile.default_limit = 0;
  profile.done_retention = 24h;
  return profile;
}

static Profile weave() {
  Profile profile;
  profile.name = "weave";
  profile.claim_batch = 10;
  profile.idem = Idem::none;
  profile.limit_unit = LimitUnit::retries;
  profile.counter = Counter::retries;
  profile.expiry_counts = ExpiryCounts::no;
  profile.late_settle = LateSettle::accept_unreclaimed;
  profile.decider = Decider::store;
  profile.retry_view = RetryView::ready_hidden;
  profile.dead_view = DeadViewKnob::failed_state;
  profile.replay = Replay::none;
  profile.clock = ClockKnob::store;
  profile.capabilities = {"priority",  "inspect",  "list_paged",  "lease_version",
                          "worker_id", "timeouts", "virtual_time"};
  profile.lease_ttl = 5s;
  return profile;
}

std::int64_t runs_allowed(const Profile& profile, std::optional<std::int64_t> limit) {
  const std::int64_t given = limit.value_or(0);
  const std::int64_t count = given > 0 ? given : profile.default_limit;
  return profile.limit_unit == LimitUnit::retries ? count + 1 : std::max<std::int64_t>(count, 1);
}

std::span<const std::string_view> profile_names() {
  static constexpr std::array<std::string_view, 5> names{"reference", "taskharbor", "trace",
                                                         "upnext", "weave"};
  return names;
}

// The built-in profile that it starts from, on a store of the same kind: what a store survives, and
// whether several processes can share it, is no part of a contract's meaning.
static std::optional<Profile> original_of(const Profile& profile) {
  auto original = built_in_profile(profile.name);
  if (!original) return std::nullopt;
  original->durability = profile.durability;
  original->capabilities.erase("shared_storage");
  if (profile.has("shared_storage")) original->capabilities.insert("shared_storage");
  return original;
}

bool is_built_in(const Profile& profile) { return original_of(profile) == profile; }

std::string title(const Profile& profile) {
  if (is_built_in(profile)) return profile.name;
  const Profile original = original_of(profile).value_or(Profile{});
  std::string altered;
  auto add = [&](std::string_view what) {
    altered += (altered.empty() ? "" : ", ") + std::string(what);
  };
  for (const Knob& knob : knobs())
    if (knob.name != "durability" && knob.get(original) != knob.get(profile)) add(knob.name);
  if (original.capabilities != profile.capabilities) add("capabilities");
  return profile.name + ", altered: " + (altered.empty() ? "numbers" : altered);
}

std::optional<Profile> built_in_profile(std::string_view name) {
  if (name == "reference") return reference();
  if (name == "taskharbor") return taskharbor();
  if (name == "trace") return trace();
  if (name == "upnext") return upnext();
  if (name == "weave") return weave();
  return std::nullopt;
}

}  // namespace assay
