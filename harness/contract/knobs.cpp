#include <array>
#include <type_traits>

#include "harness/contract/profile.h"

// The values of a knob stand in the order of its enumerators: an index is the enumerator.

namespace assay {

using Values = KnobValue[];

static constexpr Values claim_style_values = {
    {"next", "A claim names queues and gets whichever runnable jobs of them the store picks."},
    {"by_id", "A claim names one job, learnt from a wake-up, and gets that job or nothing."},
};
static constexpr Values order_values = {
    {"none", "Runnable jobs may be handed out in any order."},
    {"best_effort", "Jobs that became runnable earlier are preferred, without a guarantee."},
    {"fifo",
     "Within one queue the first deliveries of jobs of equal priority that were never delayed "
     "follow the order of their enqueues."},
};
static constexpr Values idem_values = {
    {"none", "A key is stored and shown, and has no effect."},
    {"return_existing",
     "An enqueue with a known key creates nothing, leaves the stored job as it is and returns that "
     "job's id, whatever state the job is in."},
    {"reject_active",
     "An enqueue whose key is held by an unfinished job is refused; the key is free again once "
     "that "
     "job is done, dead or cancelled."},
};
static constexpr Values idem_scope_values = {
    {"queue", "Two keys are the same only within one queue."},
    {"type", "Two keys are the same only within one type of job."},
    {"global", "Two equal keys are the same wherever they are used."},
};
static constexpr Values dup_id_values = {
    {"reject",
     "A second enqueue of an id never makes a second job: with identical content it reports that "
     "the job existed, with other content it is refused."},
    {"undefined", "What a second enqueue of an id does is not promised."},
};
static constexpr Values limit_unit_values = {
    {"attempts", "A limit of N allows N runs, the first one included."},
    {"retries", "A limit of N allows N runs after the first, N + 1 in all."},
};
static constexpr Values counter_values = {
    {"failures", "The counter starts at 0 and is the number of failures recorded so far."},
    {"attempt_no", "The counter starts at 1 and is the number of the current or next attempt."},
    {"starts", "The counter starts at 0 and goes up by one with each delivery."},
    {"retries", "The counter starts at 0 and is the number of retries used so far."},
};
static constexpr Values expiry_counts_values = {
    {"no", "A lost lease uses up none of the job's budget."},
    {"yes",
     "A lost lease uses up budget: after as many as the limit allows the job is dead, for the "
     "reason that its lease expired."},
};
static constexpr Values expiry_to_values = {
    {"ready_now", "A job whose lease expired can be claimed at once."},
    {"backoff", "A job whose lease expired may be held back for one backoff delay first."},
};
static constexpr Values late_settle_values = {
    {"reject", "A settle after the lease's expiry is refused, even if nobody else took the job."},
    {"accept_unreclaimed",
     "A settle after the lease's expiry may be accepted as long as nobody else took the job, and "
     "is "
     "refused once somebody did."},
    {"unfenced", "A settle may be accepted at any time, even after somebody else took the job."},
};
static constexpr Values fence_values = {
    {"token", "A settle must carry the token of the present claim."},
    {"token_attempt",
     "A settle must carry both the token and the attempt number of the present claim."},
    {"token_version",
     "A settle must carry the token of the present claim, and each claim of a job shows a higher "
     "version than the ones before."},
    {"none", "Nothing that a settle carries is checked."},
};
static constexpr Values resettle_values = {
    {"ok", "The same settle again, with the same token, succeeds and changes nothing."},
    {"stale_error", "The same settle again is refused as a lost lease and changes nothing."},
};
static constexpr Values resettle_foreign_values = {
    {"ok", "An ack with another token on a job that is done succeeds and changes nothing."},
    {"stale_error", "An ack with another token on a job that is done is refused as a lost lease."},
};
static constexpr Values decider_values = {
    {"engine",
     "The engine decides about retries and dead letters; the store records exactly what it is "
     "given."},
    {"store",
     "The store decides: told of a failure, it counts it, and answers with the state and the next "
     "run time that it chose."},
};
static constexpr Values retry_view_values = {
    {"scheduled", "A job that waits for a retry is shown as scheduled until its time comes."},
    {"ready_hidden",
     "A job that waits for a retry is shown as ready, with a run time that has not come yet."},
    {"failed_waiting",
     "A job that waits for a retry is one that failed and has a next run time; it counts as "
     "scheduled."},
};
static constexpr Values dead_view_values = {
    {"dlq_state", "A job that failed for good is itself the dead letter."},
    {"failed_state", "A job that failed for good stays where it is, in a final failed state."},
    {"failed_plus_record",
     "A job that failed for good stays in a final failed state, and one separate record is added "
     "to the dead letters."},
};
static constexpr Values replay_values = {
    {"same_job", "Requeueing a dead letter revives the same job under the same id."},
    {"fresh_job",
     "Requeueing a dead letter makes a new job from its payload and removes the record, both or "
     "neither."},
    {"none", "Dead letters cannot be requeued."},
};
static constexpr Values clock_values = {
    {"caller", "The present time is what the caller of each operation says it is."},
    {"store", "The present time is the store's clock; what the caller says is ignored."},
    {"mixed",
     "Some times come from the caller's clock and some from the store's, so only what holds for "
     "both is promised."},
};
static constexpr Values durability_values = {
    {"none", "The store may forget everything when its process ends."},
    {"restart", "What was accepted survives an orderly restart of the store."},
    {"crash", "What was accepted survives a crash of the store at any moment."},
};
static constexpr Values lease_edge_values = {
    {"dead_at_equal", "At its expiry instant a lease is already over."},
    {"alive_at_equal", "At its expiry instant a lease still holds, and one tick later it is over."},
};

template <auto Member>
static constexpr Knob knob(std::string_view name, std::string_view question,
                           std::span<const KnobValue> values) {
  using Value = std::remove_cvref_t<decltype(std::declval<Profile>().*Member)>;
  return {name, question, values,
          [](const Profile& profile) { return static_cast<int>(profile.*Member); },
          [](Profile& profile, int value) { profile.*Member = static_cast<Value>(value); }};
}

std::span<const Knob> knobs() {
  using P = Profile;
  static constexpr std::array table{
      knob<&P::claim_style>("claim_style", "How is a job asked for?", claim_style_values),
      knob<&P::order>("order", "In which order do runnable jobs come?", order_values),
      knob<&P::idem>("idem", "What does an idempotency key do?", idem_values),
      knob<&P::idem_scope>("idem_scope", "Within what must a key be unique?", idem_scope_values),
      knob<&P::dup_id>("dup_id", "What if an id is enqueued again?", dup_id_values),
      knob<&P::limit_unit>("limit_unit", "What does a limit of N count?", limit_unit_values),
      knob<&P::counter>("counter", "What does a job's counter count?", counter_values),
      knob<&P::expiry_counts>("expiry_counts", "Does a lost lease use up budget?",
                              expiry_counts_values),
      knob<&P::expiry_to>("expiry_to", "When can an expired job be claimed again?",
                          expiry_to_values),
      knob<&P::late_settle>("late_settle", "What of a settle after the lease's expiry?",
                            late_settle_values),
      knob<&P::fence>("fence", "What must a settle prove?", fence_values),
      knob<&P::resettle>("resettle", "What of the same settle made twice?", resettle_values),
      knob<&P::resettle_foreign>("resettle_foreign", "What of an ack of a done job by another?",
                                 resettle_foreign_values),
      knob<&P::decider>("decider", "Who decides what a failure leads to?", decider_values),
      knob<&P::retry_view>("retry_view", "How is a job shown that waits for a retry?",
                           retry_view_values),
      knob<&P::dead_view>("dead_view", "How is a job shown that failed for good?",
                          dead_view_values),
      knob<&P::replay>("replay", "What does requeueing a dead letter do?", replay_values),
      knob<&P::clock>("clock", "Whose clock is the present time?", clock_values),
      knob<&P::durability>("durability", "What does the store survive?", durability_values),
      knob<&P::lease_edge>("lease_edge", "Does a lease hold at its very expiry?",
                           lease_edge_values),
  };
  return table;
}

std::span<const Capability> capabilities() {
  static constexpr std::array<Capability, 21> table{{
      {"schedule_at_enqueue", "A job can be enqueued for a future time."},
      {"priority", "Jobs carry a priority; within a queue the higher number goes first."},
      {"cancel", "An unfinished job can be cancelled."},
      {"pause", "A queue can be paused and resumed."},
      {"inspect", "A job can be fetched by its id."},
      {"list_paged", "The jobs of a queue can be listed by state, page by page."},
      {"dlq_ops", "Dead letters can be listed and requeued."},
      {"outbox", "State changes and their announcements are committed together."},
      {"wakeups", "Workers learn of runnable jobs by messages that carry the job's id."},
      {"workflows", "Jobs can be linked as chains, groups and chords."},
      {"rate_limit", "The starts of a function can be limited per unit of time."},
      {"concurrency_limit", "The number of runs at one time can be limited per function or group."},
      {"queue_set_claim", "One claim can ask for several queues."},
      {"lease_version", "Each claim shows a version that rises with every claim of its job."},
      {"worker_id", "The lease shown by inspection names the worker that holds it."},
      {"timeouts", "A job can carry its own execution timeout."},
      {"cron", "Jobs can be enqueued by a recurring schedule."},
      {"progress_checkpoint", "A running handler can store its progress for the next attempt."},
      {"virtual_time", "The clock that leases and schedules are judged by moves when told to."},
      {"shared_storage", "Several processes of the driver can work on one namespace."},
      {"records", "Small values are kept beside the jobs and changed together with settles."},
  }};
  return table;
}

}  // namespace assay
