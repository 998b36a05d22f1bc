// PlanBuilder: writes a plan as a story. It knows the profile and says each thing in the profile's
// way: claims by id where they are, nack where the store decides, a wait where an expiry backs off.
//
// After each call that concerns a job the admin looks at that job, where the profile can inspect,
// so that a judge can compare before and after.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/plan.h"

namespace assay {

When from_now(Duration offset);
When absolute(Instant at);
When due_of(const JobRef& job, Duration offset = {});
When expiry_of(ClaimRef claim, Duration offset = {});

JobRef job_of(ClaimRef claim);
JobRef literal_job(std::string id);
TokenRef token_of(ClaimRef claim);
TokenRef forged_token(std::string text);
ClaimRef nth(ClaimRef first, int index);  // of the deliveries of one reserve
PayloadSpec text_payload(std::string bytes);
PayloadSpec pattern_payload(std::uint64_t size, std::uint64_t seed = 1);

struct JobArgs {
  std::string queue = "q";
  std::string type = "t";
  std::optional<std::string> id = {};
  PayloadSpec payload = {.text = "payload"};
  std::optional<When> when = {};
  std::optional<std::int64_t> limit = {};
  std::optional<Duration> timeout = {};
  std::optional<std::string> key = {};
  std::optional<std::int64_t> priority = {};
  std::optional<std::int64_t> attempts = {};
};

struct ReserveArgs {
  std::vector<std::string> queues = {"q"};
  JobRef job = {};  // the one that claim_style: by_id asks for; not used where it is next
  Duration lease{30'000};
  std::int64_t max = 1;
};

struct FailureArgs {
  Duration delay{1'000};  // where the engine decides
  std::string error = "boom";
  std::optional<std::int64_t> attempts = {};  // where the engine decides; absent: one more
};

// Which claim a call speaks for, where that is not simply the holder's own.
struct HoldArgs {
  JobRef job = {};
  TokenRef token = {};
  std::optional<std::int64_t> attempt_offset = {};
};
HoldArgs hold(ClaimRef claim);

enum class SettleKind { ack, failure, dead };  // each said in the profile's way
inline constexpr SettleKind all_settles[] = {SettleKind::ack, SettleKind::failure,
                                             SettleKind::dead};

class PlanBuilder {
 public:
  // Every plan has these four clients.
  static constexpr int producer = 0;
  static constexpr int w1 = 1;
  static constexpr int w2 = 2;
  static constexpr int admin = 3;

  PlanBuilder(const Profile& profile, std::string_view name);

  int client(std::string name, Role role);
  const Profile& profile() const { return profile_; }
  bool has(std::string_view capability) const { return profile_.has(capability); }
  Duration tick() const { return profile_.time_resolution; }
  // How often a job of this limit may run.
  std::int64_t runs(std::optional<std::int64_t> limit) const {
    return runs_allowed(profile_, limit);
  }

  // A name that no other call gave: for a situation that others in the plan shall not disturb.
  std::string fresh_queue() { return "q" + std::to_string(++fresh_queues_); }

  JobRef enqueue(int client, const JobArgs& args = {});
  JobRef enqueue(const JobArgs& args = {}) { return enqueue(producer, args); }

  ClaimRef reserve(int client, const ReserveArgs& args);
  // From the queue of that job: under claim_style: by_id the job itself.
  ClaimRef claim(int client, const JobRef& job, Duration lease = Duration{30'000});
  // When that lease is over: by whoever asks then, or after the backoff where an expiry backs off.
  ClaimRef reclaim(int client, ClaimRef lost, Duration lease = Duration{30'000});

  void extend(int client, const HoldArgs& hold, Duration lease);
  void extend(int client, ClaimRef claim, Duration lease) { extend(client, hold(claim), lease); }
  void ack(int client, const HoldArgs& hold);
  void ack(int client, ClaimRef claim) { ack(client, hold(claim)); }
  // retry or nack
  void record_failure(int client, const HoldArgs& hold, const FailureArgs& args = {});
  void record_failure(int client, ClaimRef claim, const FailureArgs& args = {}) {
    record_failure(client, hold(claim), args);
  }
  // fail, or nack of an unrecoverable error
  void dead_letter(int client, const HoldArgs& hold, const FailureArgs& args = {});
  void dead_letter(int client, ClaimRef claim, const FailureArgs& args = {}) {
    dead_letter(client, hold(claim), args);
  }
  void settle(int client, SettleKind kind, const HoldArgs& hold);
  void settle(int client, SettleKind kind, ClaimRef claim) { settle(client, kind, hold(claim)); }

  void cancel(const JobRef& job);
  void pause(std::string queue = "q");
  void resume(std::string queue = "q");
  void get(const JobRef& job);
  void list(std::string queue, std::optional<JobState> state = {}, std::int64_t limit = 100);
  void list_more(std::string queue, std::optional<JobState> state = {}, std::int64_t limit = 100);
  void dead(std::string queue, std::int64_t limit = 100);
  void dead_more(std::string queue, std::int64_t limit = 100);
  JobRef requeue(const JobRef& job, bool reset = false, std::optional<When> run_at = {});
  void close(int client);

  void advance(Duration by);
  void advance_to(const When& when);
  void advance_to_expiry(ClaimRef claim, Duration offset = {});
  void advance_to_due(const JobRef& job, Duration offset = {});

  // Begins a fault of that client; it ends with the plan unless somebody ends it before.
  using FaultArgs = std::map<std::string, std::int64_t>;
  int fault(std::string name, int client, FaultArgs with = {});
  int fault_of_all(std::string name, FaultArgs with = {});
  void end_fault(int fault);

  // The calls that are made in there are free: each client makes its own, all at once. Nobody looks
  // in between.
  void at_once(const std::function<void()>& calls);

  // A step as it stands, for what no method says.
  void step(Step step);

  Plan build() const { return plan_; }

 private:
  Step& add(StepKind kind, int client);
  void settle_step(StepKind kind, int client, const HoldArgs& hold, const FailureArgs& args);
  void look(const JobRef& job);
  void notice(int client, ClaimRef lost, Duration lease);
  int next_slot(std::string queue);
  std::string queue_of(const JobRef& job) const;

  Profile profile_;
  Plan plan_;
  bool free_ = false;
  int fresh_queues_ = 0;
  std::vector<std::string> queues_;  // by slot, jobs' and claims' alike
};

}  // namespace assay
